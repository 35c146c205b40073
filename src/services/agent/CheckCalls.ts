/**
 * Checks the calls and changes of a reply before any of them is made: their form and arguments, the limits of the skill and of a
 * turn, and what a change would lose of its file.
 */
import * as Effect from "effect/Effect"
import { callSign } from "../../domain/documents/Refinement.ts"
import type { Answered } from "../../domain/documents/TurnFormat.ts"
import { makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { callsBeyondLimits } from "../../domain/skills/Skill.ts"
import { type CallOutcome, notMeasured, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { inOneCall, makeTaskChanges, type RefusedChange } from "../pipeline/TaskChanges.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { CheckedCall, CheckedCalls } from "./Turn.ts"
import type { Assignment } from "./Session.ts"

/** A change that was not made, as a call that failed. */
export const refusedOutcome = ({ call, issue }: RefusedChange, turn: number): CallOutcome => ({
  call: { ...call, uid: turnUid(turn, call.uid) },
  result: {
    success: false,
    data: null,
    error_message: issue.what,
    error_type: "validation_failed",
    metadata: notMeasured
  }
})

export const makeCallChecker = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const { askFirst = false, limits } = yield* RunSettings
  const most = limits.toolCallsPerIteration

  /** Checks one call; a change that would lose too much of its file is refused. */
  const checkOne = Effect.fnUntraced(function* (
    { skill, task, tools }: Assignment,
    wanted: ToolCall,
    saysRemoval: boolean
  ): Effect.fn.Return<CheckedCall | RefusedChange> {
    const { call: named, issues, repairs } = registry.check(wanted, new Set(tools), task)
    const beyond = skill === undefined ? [] : callsBeyondLimits(skill, [named], task)
    const tidied = yield* changes.tidied(named, { task, saysSo: saysRemoval })
    const { call, lost } = tidied
    if (lost !== undefined && issues.length === 0) return { call, issue: lost }
    return {
      wanted,
      call,
      repairs: [...repairs, ...tidied.repairs],
      issues: [...issues, ...beyond, ...tidied.issues]
    }
  })

  /** The calls of a reply that can be made, with what is wrong with the others. */
  return Effect.fnUntraced(function* (assignment: Assignment, reply: Answered): Effect.fn.Return<CheckedCalls> {
    const { task } = assignment
    const where = { section: "Tool Calls", task }
    const changed = yield* changes.callsOf(reply.changes, task)
    const callsOfChanges = changed.map(({ calls }) => calls)
    // A replacement counts as one call, however many files it changes.
    const groups = [
      ...reply.calls.map((call) => [call]),
      ...(askFirst ? inOneCall(callsOfChanges.flat()).map((call) => [call]) : callsOfChanges)
    ]
    const all = groups.flat()
    const isFirst = (call: ToolCall): boolean => all.find((other) => callSign(other) === callSign(call)) === call
    const parts = groups.map((calls) => calls.filter(isFirst)).filter((calls) => calls.length > 0)
    const doubled = "Made a call once that was written several times."
    const beyond = `There are ${parts.length} calls and changes, and only the first ${most} are done in one turn.`
    const checked = yield* Effect.forEach(parts.slice(0, most).flat(), (call) =>
      checkOne(assignment, call, reply.saysRemoval === true)
    )
    const refused = [
      ...changed.flatMap((change) => change.refused ?? []),
      ...checked.flatMap((result) => ("issue" in result ? [result] : []))
    ]
    return {
      calls: checked.flatMap((result) => ("issue" in result ? [] : [result])),
      issues: [...changed.flatMap(({ issues }) => issues), ...refused.map(({ issue }) => issue)],
      refused,
      tooMany: parts.length <= most ? [] : [makeIssue("tool-calls-many", where, { what: beyond })],
      replaced: changed.flatMap(({ replaced }) => replaced ?? []),
      repairs: all.every(isFirst) ? [] : [makeRepair("tool-call-known", where, doubled)]
    }
  })
})
