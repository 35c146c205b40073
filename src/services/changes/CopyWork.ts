/**
 * Runs the calls of a task and the checks of the project. The calls write to the working copy, or to the project if the
 * gate asks about each change.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { FileFact, fileFacts } from "../../domain/checks/Facts.ts"
import { seenKey, type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { writesIn, writtenText } from "../../domain/tools/Access.ts"
import { type CallOutcome, fileTools, pathsOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { hashOf } from "../files/Hash.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { type CallTarget, makeTaskCall } from "../tools/ToolRunner.ts"
import { maxChangedBytes } from "./SearchedTexts.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

/** A working copy and the task that owns it. */
export interface CopyOwner {
  readonly copy: WorkingCopy
  readonly task: string
  readonly round: number
}

/**
 * Determines which lines a call will change in the project. The result is recorded, because the project is different
 * when the run is replayed.
 */
const makeChangedLines = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const workspace = yield* Workspace

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

  return (id: ToolCallId, call: ToolCall) =>
    activities.run({
      key: seenKey.lines(id),
      input: hashOf([call.name, call.arguments]),
      success: Schema.Array(FileFact),
      error: Schema.Never,
      execute: Effect.orElseSucceed(linesOf(call), () => [])
    })
})

export const makeCopyWork = Effect.gen(function* () {
  const changedLines = yield* makeChangedLines
  const changes = yield* makeTaskChanges
  const checks = yield* Checks
  const commands = yield* Commands
  const registry = yield* ToolRegistry
  const runCall = yield* makeTaskCall
  const workspace = yield* Workspace
  const { askFirst = false } = yield* RunSettings

  /** The copy, or the project if the gate asks about each change. */
  const targetOf = ({ copy }: Pick<CopyOwner, "copy">): CallTarget => (askFirst ? "project" : copy)

  /** Notes which tool changed which file of the copy. */
  const noteChange = Effect.fnUntraced(function* (copy: WorkingCopy, { call, result }: CallOutcome) {
    if (!result.success || !fileTools.has(call.name)) return
    for (const path of pathsOf(call)) {
      const place = workspace.canonical(yield* workspace.meant(path))
      const file = yield* Effect.orElseSucceed(place, () => ({ path: changes.fileAt(path) }))
      copy.noteChange(file.path, call.name)
    }
  })

  const runOne = Effect.fnUntraced(function* ({ copy, round, task }: CopyOwner, call: ToolCall) {
    const target = targetOf({ copy })
    const isAsked = target === "project" && fileTools.has(call.name)
    const lines = isAsked ? yield* changedLines({ round, task, uid: call.uid }, call) : []
    const outcome = yield* runCall({ task, round, target }, call)
    if (target !== "project") yield* noteChange(target, outcome)
    return { outcome, files: outcome.result.success ? lines : [] }
  })

  /**
   * Makes the calls. If one of them may change something, they run one after another, otherwise side by side. If
   * `goesOn` is true, continues even after many denials.
   */
  const run = Effect.fnUntraced(function* (owner: CopyOwner, calls: ReadonlyArray<ToolCall>, goesOn: boolean) {
    let denied: string | undefined
    const inOrder = registry.changesSomething(calls.map(({ name }) => name))
    const goOn = (call: ToolCall, { message, result }: TooManyDenials) => {
      denied ??= message
      return { outcome: { call, result }, files: [] }
    }
    const runs = yield* Effect.forEach(
      calls,
      (call) =>
        Effect.catchTag(runOne(owner, call), "TooManyDenials", (error) =>
          goesOn ? Effect.succeed(goOn(call, error)) : Effect.fail(error)
        ),
      { concurrency: inOrder ? 1 : "unbounded" }
    )
    return { denied, outcomes: runs.map(({ outcome }) => outcome), files: runs.flatMap(({ files }) => files) }
  })

  /**
   * Checks the changes that were made in the project. Also checks the changes in the copy, if commands can see the
   * copy.
   */
  const check = Effect.fnUntraced(function* (
    { copy, kind, request, round, task }: CopyOwner & { readonly kind?: string; readonly request: string },
    turn: number,
    inProject: ReadonlyArray<FileFact> = []
  ): Effect.fn.Return<ReadonlyArray<CheckOutcome>> {
    const paths = [...new Set([...inProject, ...changes.named(copy)].map(({ path }) => path))]
    if (paths.length === 0 || (inProject.length === 0 && (yield* commands.copies).mechanism === "none")) return []
    return yield* checks.run({ task, round, turn, request, isPart: kind === "places" }, paths)
  })

  return { check, run, targetOf }
})
