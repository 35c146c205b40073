/**
 * Makes the calls of a turn in the working copy, or in another way that a hook has, and finds out what their changes mean: what they
 * left behind elsewhere, what the checks of the project say, and which instructions of the project hold for their files.
 */
import * as Effect from "effect/Effect"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import { fileTools, pathOf, pathsOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { makeCopyChecks } from "../changes/CopyChecks.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { Workspace } from "../files/Workspace.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import type { TooManyDenials } from "../tools/ToolRunner.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import type { AgentWork, Assignment } from "./Session.ts"
import type { AgentTurn, CallRun, TurnResults, TurnRun } from "./Turn.ts"

type RunningWork<E> = Pick<AgentWork<unknown, E>, "announce" | "approve" | "assignment" | "grounding" | "prompt">

const nothingRun: TurnRun = { outcomes: [], files: [], denied: undefined, hasChanged: false, changedFiles: [] }

export const makeCallRunner = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<AgentHook>,
  { replyBudget }: Compaction
) {
  const changes = yield* makeTaskChanges
  const checkCopy = yield* makeCopyChecks
  const runCalls = yield* makeTaskCalls
  const workspace = yield* Workspace

  const inCopy = Effect.fnUntraced(function* (
    { copy, id: { round }, kind, task }: Assignment,
    calls: ReadonlyArray<ToolCall>
  ) {
    const { denied, outcomes } = yield* runCalls(task, round, calls, kind === "message")
    for (const { call, result } of outcomes) {
      if (!result.success || !fileTools.has(call.name)) continue
      for (const path of pathsOf(call)) {
        const place = workspace.canonical(yield* workspace.meant(path))
        const file = yield* Effect.orElseSucceed(place, () => ({ path: changes.fileAt(path) }))
        copy.noteChange(file.path, call.name)
      }
    }
    return { denied, outcomes, files: [] } satisfies CallRun
  })

  /** Makes calls, in their order where one of them may change something. */
  const make = Effect.fnUntraced(function* <E>(
    work: RunningWork<E>,
    turn: number,
    wanted: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<CallRun, TooManyDenials | E> {
    const calls = wanted.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* work.approve(calls)
    for (const { runTools } of hooks) {
      const run = runTools?.(work, calls)
      if (run !== undefined) return yield* run
    }
    return yield* inCopy(work.assignment, calls)
  })

  /** Makes the calls of a turn, and tells what they changed. */
  const run = Effect.fnUntraced(function* <E>(
    work: RunningWork<E>,
    { parsed, turn }: AgentTurn,
    calls: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<TurnRun, TooManyDenials | E> {
    if (calls.length === 0) return nothingRun
    const { copy } = work.assignment
    const before = { files: changes.named(copy), version: copy.version() }
    const paths = parsed.turn.changes.flatMap((change) => ("path" in change ? [change.path] : []))
    const numbered = calls.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* work.announce(turn, numbered, [...new Set(paths)])
    const made = yield* make(work, turn, calls)
    return {
      ...made,
      hasChanged: copy.version() !== before.version || made.files.length > 0,
      changedFiles: changedSince(changes.named(copy), before.files)
    }
  })

  /** Finds out what the changes of a turn mean; without changes the last checks still hold. */
  const inspect = Effect.fnUntraced(function* (
    at: AgentTurn,
    calls: ReadonlyArray<ToolCall>,
    made: TurnRun
  ): Effect.fn.Return<TurnResults> {
    const { left, parsed, session, turn, work } = at
    const { assignment, prompt } = work
    const remaining = yield* Effect.forEach(made.hasChanged ? hooks : [], ({ afterChanges }) =>
      afterChanges === undefined ? Effect.succeed([]) : afterChanges(at, made.changedFiles)
    )
    const checked = { ...assignment, round: assignment.id.round }
    const checks = made.hasChanged ? yield* checkCopy(checked, turn, [...session.files, ...made.files]) : session.checks
    const files = [...calls, ...parsed.turn.calls].flatMap((call) =>
      typeof call.arguments["path"] === "string" ? [pathOf(call)] : []
    )
    const folderInstructions =
      left === 0 || files.length === 0
        ? ""
        : yield* prompt.folderInstructions(turn, files, replyBudget(work, session.messages) / 2)
    return { ...made, remaining: remaining.flat(), checks, folderInstructions }
  })

  return { inspect, make, run }
})
