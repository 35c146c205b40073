/**
 * Makes the calls of a turn, and finds out what their changes mean: what they left behind elsewhere, what the checks of the project say,
 * and which instructions of the project hold for their files.
 */
import * as Effect from "effect/Effect"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import { pathOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { isProposal } from "../tools/ToolRunner.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import type { AgentWork } from "./Session.ts"
import type { AgentTurn, CallRun, TurnResults, TurnRun } from "./Turn.ts"

type RunningWork<E> = Pick<AgentWork<unknown, E>, "announce" | "approve" | "assignment" | "prompt">

/** Calls with uids that no other turn has. */
export const ofTurn = (turn: number, calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> =>
  calls.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))

const nothingRun: TurnRun = { outcomes: [], files: [], denied: undefined, hasChanged: false, changedFiles: [] }

export const makeCallRunner = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<AgentHook>,
  { replyBudget }: Compaction
) {
  const changes = yield* makeTaskChanges
  const copyWork = yield* makeCopyWork

  /** Makes calls that `ofTurn` numbered, in their order where one of them may change something. */
  const make = Effect.fnUntraced(function* <E>(
    work: RunningWork<E>,
    calls: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<CallRun, TooManyDenials | E> {
    const { assignment } = work
    const target = copyWork.targetOf(assignment)
    yield* work.approve(calls.filter((call) => !isProposal(call, target)))
    return yield* copyWork.run({ ...assignment, round: assignment.id.round }, calls, assignment.kind === "message")
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
    const numbered = ofTurn(turn, calls)
    yield* work.announce(turn, numbered, [...new Set(paths)])
    const callRun = yield* make(work, numbered)
    return {
      ...callRun,
      hasChanged: copy.version() !== before.version || callRun.files.length > 0,
      changedFiles: changedSince(changes.named(copy), before.files)
    }
  })

  /** Finds out what the changes of a turn mean; without changes the last checks still hold. */
  const inspect = Effect.fnUntraced(function* (
    at: AgentTurn,
    calls: ReadonlyArray<ToolCall>,
    turnRun: TurnRun
  ): Effect.fn.Return<TurnResults> {
    const { left, parsed, session, turn, work } = at
    const { assignment, prompt } = work
    const remaining = yield* Effect.forEach(turnRun.hasChanged ? hooks : [], ({ afterChanges }) =>
      afterChanges === undefined ? Effect.succeed([]) : afterChanges(at, turnRun.changedFiles)
    )
    const owner = { ...assignment, round: assignment.id.round }
    const checks = turnRun.hasChanged
      ? yield* copyWork.check(owner, turn, [...session.files, ...turnRun.files])
      : session.checks
    const files = [...calls, ...parsed.turn.calls].flatMap((call) =>
      typeof call.arguments["path"] === "string" ? [pathOf(call)] : []
    )
    const folderInstructions =
      left === 0 || files.length === 0
        ? ""
        : yield* prompt.folderInstructions(turn, files, replyBudget(work, session.messages) / 2)
    return { ...turnRun, remaining: remaining.flat(), checks, folderInstructions }
  })

  return { inspect, make, run, targetOf: copyWork.targetOf }
})
