/**
 * Converts the working copy of a task to calls that make its changes in the project, together with facts about these
 * changes.
 */
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

type ProposedWork = Pick<TaskOutcome, "bases" | "calls" | "checks" | "files" | "turns">

/** The last checks of a working copy, and the files that its calls changed in the project itself. */
interface CheckedWork {
  readonly checks: ReadonlyArray<CheckOutcome>
  readonly files?: ReadonlyArray<FileFact>
  readonly turn: number
}

export const makeTaskChanges = Effect.gen(function* () {
  const path = yield* Path.Path
  const workspace = yield* Workspace

  const nameOf = (file: string): string => path.relative(workspace.root, file).split(path.sep).join("/")

  /** The files that this task itself changed in its working copy, with their paths in the project. */
  const named = (copy: WorkingCopy): ReadonlyArray<ProposedFile> =>
    copy.own().map((file) => Object.assign({}, file, { path: nameOf(file.path) }))

  /** Makes a path absolute, for code that does not know the root of the project. */
  const fileAt = (given: string): string => path.resolve(workspace.root, given)

  /** The changes of a working copy as calls. The uids of the calls begin with `word`. */
  const final = (copy: WorkingCopy, word = "change"): ReadonlyArray<ToolCall> => {
    const wasWritten = (file: string): boolean => {
      const tools = copy.changedBy(file)
      return tools.size === 1 && tools.has("write_file")
    }
    return finalCalls(copy.own(), { nameOf, wasWritten }).map((call, index) =>
      Object.assign({ uid: `${word}-${index + 1}` }, call)
    )
  }

  /** The changes of a working copy as calls, with facts about them. The uids of the calls begin with `word`. */
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

  /** The proposals of other tasks, with the changes of an outcome applied on top. */
  const onTop = (others: ReadonlyArray<ProposedFile>, outcome: TaskOutcome): ReadonlyArray<ProposedFile> => {
    const copy = makeWorkingCopy(others)
    for (const file of proposedBy(outcome)) copy.propose({ ...file, path: fileAt(file.path) })
    return copy.files()
  }

  return { fileAt, named, nameOf, onTop, proposed }
})
