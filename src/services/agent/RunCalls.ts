/**
 * Makes the calls of a turn and examines their changes. It finds remaining uses of a removed name or line, runs checks,
 * and adds project instructions for the changed files.
 */
import * as Effect from "effect/Effect"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import { withPresentLines } from "../../domain/tools/MovedReads.ts"
import { fileTools, pathOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { isProposal } from "../tools/ToolRunner.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import type { AgentWork } from "./Session.ts"
import type { AgentTurn, CallRun, TurnResults } from "./Turn.ts"

/** Numbers calls so that their uids are unique across turns. */
export const ofTurn = (turn: number, calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> =>
  calls.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))

const announceCalls = ({ answer, session, work }: AgentTurn, calls: ReadonlyArray<ToolCall>) => {
  const paths = answer.content.changes.flatMap((change) => ("path" in change ? [change.path] : []))
  return work.announce(session.turn, calls, [...new Set(paths)])
}

export const makeCallRunner = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<AgentHook>,
  { replyBudget }: Compaction
) {
  const changes = yield* makeTaskChanges
  const copyWork = yield* makeCopyWork

  /**
   * Makes calls that `ofTurn` has numbered. They run one after another if one of them may change something. Reads below
   * changes of files count lines as they were before these changes.
   */
  const makeCalls = Effect.fnUntraced(function* <E>(
    { approve, assignment }: Pick<AgentWork<unknown, E>, "approve" | "assignment">,
    calls: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<CallRun, TooManyDenials | E> {
    const target = copyWork.targetOf(assignment)
    yield* approve(calls.filter((call) => !isProposal(call, target)))
    const before = changes.named(assignment.copy)
    const run = (some: ReadonlyArray<ToolCall>) =>
      copyWork.run({ ...assignment, round: assignment.id.round }, some, assignment.kind === "message")
    const belowChanges = calls.findLastIndex(({ name }) => fileTools.has(name)) + 1
    const first = yield* run(calls.slice(0, belowChanges))
    const changed = changedSince(changes.named(assignment.copy), before)
    const second = yield* run(calls.slice(belowChanges).map((call) => withPresentLines(call, changed)))
    return {
      outcomes: [...first.outcomes, ...second.outcomes],
      files: [...first.files, ...second.files],
      denied: first.denied ?? second.denied
    }
  })

  /**
   * The project instructions for the files that an answer names. Empty in the last turn, since no answer can follow
   * them.
   */
  const folderInstructions = ({ answer, answersLeft, session, work }: AgentTurn, calls: ReadonlyArray<ToolCall>) => {
    const files = [...calls, ...answer.content.calls].flatMap((call) =>
      typeof call.arguments["path"] === "string" ? [pathOf(call)] : []
    )
    if (answersLeft === 0 || files.length === 0) return Effect.succeed("")
    return work.prompt.folderInstructions(session.turn, files, replyBudget(work, session.messages) / 2)
  }

  /**
   * Makes the calls of a turn and examines their changes. If nothing changed, the last outcomes of the checks still
   * hold.
   */
  const runCalls = Effect.fnUntraced(function* <A, E>(
    turn: AgentTurn<A, E>,
    calls: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<TurnResults, TooManyDenials | E> {
    const { session, work } = turn
    const { copy, id } = work.assignment
    const before = { files: changes.named(copy), version: copy.version() }
    let callRun: CallRun = { outcomes: [], files: [], denied: undefined }
    if (calls.length > 0) {
      const numbered = ofTurn(session.turn, calls)
      yield* announceCalls(turn, numbered)
      callRun = yield* makeCalls(work, numbered)
    }
    const hasChanged = copy.version() !== before.version || callRun.files.length > 0
    const changedFiles = changedSince(changes.named(copy), before.files)
    const remaining = yield* Effect.forEach(
      hasChanged ? hooks : [],
      ({ afterChanges }) => afterChanges?.(turn, changedFiles) ?? Effect.succeed([])
    )
    const inProject = [...session.files, ...callRun.files]
    const owner = { ...work.assignment, round: id.round }
    return {
      ...callRun,
      hasChanged,
      changedFiles,
      remaining: remaining.flat(),
      checks: hasChanged ? yield* copyWork.check(owner, session.turn, inProject) : session.checks,
      folderInstructions: yield* folderInstructions(turn, calls)
    }
  })

  return { makeCalls, runCalls, targetOf: copyWork.targetOf }
})
