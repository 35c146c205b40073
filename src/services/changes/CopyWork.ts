/**
 * What a task does in its working copy: its calls, the checks of the project on what they change, and the lines that a call will
 * change in the project itself.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { FileFact, fileFacts } from "../../domain/checks/Facts.ts"
import { seenKey, type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { writesIn, writtenText } from "../../domain/tools/Access.ts"
import { fileTools, pathsOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { hashOf } from "../files/Hash.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { maxChangedBytes } from "./SearchedTexts.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

/** A working copy, and whose it is. */
interface CopyOwner {
  readonly copy: WorkingCopy
  readonly task: string
  readonly round: number
}

export const makeCopyWork = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const checks = yield* Checks
  const commands = yield* Commands
  const registry = yield* ToolRegistry
  const runCalls = yield* makeTaskCalls
  const workspace = yield* Workspace

  /** Makes calls, and notes which tool changed which file. Work that `goesOn` does so when a call was denied too often. */
  const run = Effect.fnUntraced(function* (
    { copy, round, task }: CopyOwner,
    calls: ReadonlyArray<ToolCall>,
    goesOn: boolean
  ) {
    const { denied, outcomes } = yield* runCalls(task, round, calls, goesOn)
    for (const { call, result } of outcomes) {
      if (!result.success || !fileTools.has(call.name)) continue
      for (const path of pathsOf(call)) {
        const place = workspace.canonical(yield* workspace.meant(path))
        const file = yield* Effect.orElseSucceed(place, () => ({ path: changes.fileAt(path) }))
        copy.noteChange(file.path, call.name)
      }
    }
    return { denied, outcomes }
  })

  /** Checks what the copy changes, where commands can see it, and what was changed in the project itself. */
  const check = Effect.fnUntraced(function* (
    { copy, request, round, task }: CopyOwner & { readonly request: string },
    turn: number,
    inProject: ReadonlyArray<FileFact> = []
  ): Effect.fn.Return<ReadonlyArray<CheckOutcome>> {
    const paths = [...new Set([...inProject, ...changes.named(copy)].map(({ path }) => path))]
    if (paths.length === 0 || (inProject.length === 0 && (yield* commands.copies).mechanism === "none")) return []
    return yield* checks.run({ task, round, turn, request }, paths)
  })

  const linesOf = Effect.fnUntraced(function* (call: ToolCall) {
    const { accesses } = yield* registry.prepare(call)
    const files = yield* Effect.forEach(writesIn(accesses), (write) =>
      Effect.map(
        Effect.orElseSucceed(workspace.readText(write.path, maxChangedBytes), () => null),
        (base) => ({ path: changes.nameOf(write.path), base, text: writtenText(write) })
      )
    )
    return fileFacts(files)
  })

  /** The lines that a call will change in the project; recorded, since they cannot be told afterwards. */
  const changedLines = (id: ToolCallId, call: ToolCall) =>
    activities.run({
      key: seenKey.lines(id),
      input: hashOf([call.name, call.arguments]),
      success: Schema.Array(FileFact),
      error: Schema.Never,
      execute: Effect.orElseSucceed(linesOf(call), () => [])
    })

  return { changedLines, check, run }
})
