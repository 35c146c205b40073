/** The changes of the working copy of a task as the calls that make them in the project, and what is known of them. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { type FileFact, fileFacts, joinedFiles } from "../../domain/checks/Facts.ts"
import type { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { makeWorkingCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { baseOf, finalCalls, proposedBy } from "./FinalCalls.ts"

/** The changes of a task as calls that make them in the project, with what is known of them. */
type ProposedWork = Pick<TaskOutcome, "bases" | "calls" | "checks" | "files" | "turns">

/** What is known of a working copy: its last checks, and what was changed in the project itself. */
interface CheckedWork {
  readonly checks: ReadonlyArray<CheckOutcome>
  readonly files?: ReadonlyArray<FileFact>
  readonly turn: number
}

export const makeTaskChanges = Effect.gen(function* () {
  const path = yield* Path.Path
  const workspace = yield* Workspace

  const nameOf = (file: string): string => path.relative(workspace.root, file).split(path.sep).join("/")

  /** What a task itself changed in its working copy, by the paths in the project. */
  const named = (copy: WorkingCopy): ReadonlyArray<ProposedFile> =>
    copy.own().map((file) => Object.assign({}, file, { path: nameOf(file.path) }))

  /** The file of a path as it is given, where the project cannot be looked at. */
  const fileAt = (given: string): string => path.resolve(workspace.root, given)

  /** The files of a working copy as the calls that make its changes; `word` begins their uids. */
  const final = (copy: WorkingCopy, word = "change"): ReadonlyArray<ToolCall> => {
    const wasWritten = (file: string): boolean => {
      const tools = copy.changedBy(file)
      return tools.size === 1 && tools.has("write_file")
    }
    return finalCalls(copy.own(), { nameOf, wasWritten }).map((call, index) =>
      Object.assign({ uid: `${word}-${index + 1}` }, call)
    )
  }

  /** The changes of a working copy as calls, whose uids begin with `word`, with what is known of them. */
  const proposed = (
    copy: WorkingCopy,
    { checks, files: inProject = [], turn }: CheckedWork,
    word?: string
  ): ProposedWork => {
    const changedFiles = named(copy)
    const files = joinedFiles([...inProject, ...fileFacts(changedFiles)])
    return {
      calls: final(copy, word),
      ...(changedFiles.length === 0 ? {} : { bases: changedFiles.map(baseOf), turns: turn }),
      ...(files.length === 0 ? {} : { files }),
      ...(files.length === 0 || checks.length === 0 ? {} : { checks })
    }
  }

  /** What others propose with the changes of an outcome on top. */
  const onTop = (others: ReadonlyArray<ProposedFile>, outcome: TaskOutcome): ReadonlyArray<ProposedFile> => {
    const copy = makeWorkingCopy(others)
    for (const file of proposedBy(outcome)) copy.propose({ ...file, path: fileAt(file.path) })
    return copy.files()
  }

  return { fileAt, named, nameOf, onTop, proposed }
})
