/**
 * Checks the calls and changes of a reply before any of them is made: their form and arguments, the limits of the skill and of a
 * turn, and what a change would lose of its file.
 */
import * as Effect from "effect/Effect"
import {
  type ReplyCall,
  type CheckedCalls,
  droppedChanges,
  withoutDoubles
} from "../../domain/documents/CheckedCalls.ts"
import type { TurnContent } from "../../domain/documents/TurnFormat.ts"
import { makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { callsBeyondLimits } from "../../domain/skills/Skill.ts"
import { fileTools, type ToolCall, withMoves } from "../../domain/tools/ToolCall.ts"
import type { UnmadeChange } from "../../domain/tools/OpenChanges.ts"
import { inOneCall, makeAnswerChanges } from "../changes/AnswerChanges.ts"
import { makeTidyCall } from "../changes/TidyCalls.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeSkillFileRead } from "../skills/SkillFileRead.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Assignment } from "./Session.ts"

export const makeCallChecker = Effect.gen(function* () {
  const callsOfChanges = yield* makeAnswerChanges
  const registry = yield* ToolRegistry
  const skillFileRead = yield* makeSkillFileRead
  const tidyCall = yield* makeTidyCall
  const { askFirst = false, limits } = yield* RunSettings
  const most = limits.toolCallsPerIteration

  /** Checks one call; a change that would lose too much of its file is not made. */
  const checkOne = Effect.fnUntraced(function* (
    { request, skill, task, tools }: Assignment,
    wanted: ToolCall,
    saysRemoval: boolean
  ): Effect.fn.Return<ReplyCall | UnmadeChange> {
    const { call: written, issues, repairs } = registry.check(wanted, withMoves(tools), task)
    const named = skill === undefined ? written : yield* skillFileRead(written, skill)
    const beyond = skill === undefined ? [] : callsBeyondLimits(skill, [named], task)
    const tidied = yield* tidyCall(named, { task, request, saysSo: saysRemoval })
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
  return Effect.fnUntraced(function* (assignment: Assignment, reply: TurnContent): Effect.fn.Return<CheckedCalls> {
    const { task, tools } = assignment
    const where = { section: "Tool Calls", task }
    const changed = yield* callsOfChanges(reply.changes, task)
    const changing = changed.map(({ calls }) => calls)
    // A replacement counts as one call, however many files it changes.
    const groups = [
      ...reply.calls.map((call) => [call]),
      ...(askFirst ? inOneCall(changing.flat()).map((call) => [call]) : changing)
    ]
    const parts = withoutDoubles(groups)
    const doubled = "Made a call once that was written several times."
    const beyond = `There are ${parts.length} calls and changes, and only the first ${most} are done in one turn.`
    const tooMany = parts.length <= most ? [] : [makeIssue("tool-calls-many", where, { what: beyond })]
    const checked = yield* Effect.forEach(parts.slice(0, most).flat(), (call) =>
      checkOne(assignment, call, reply.saysRemoval === true)
    )
    const calls = checked.flatMap((result) => ("issue" in result ? [] : [result]))
    const refused = [
      ...changed.flatMap((change) => change.refused ?? []),
      ...checked.flatMap((result) => ("issue" in result ? [result] : []))
    ]
    const beyondLimit = parts.slice(most).flat()
    // A task that cannot change files leaves no change open.
    const dropped = tools.some((tool) => fileTools.has(tool))
      ? droppedChanges(
          calls,
          beyondLimit.flatMap((call) => tooMany.map((issue) => ({ call, issue }))),
          reply
        )
      : []
    return {
      calls,
      issues: [...changed.flatMap(({ issues }) => issues), ...refused.map(({ issue }) => issue)],
      unmade: [...refused, ...changed.flatMap(({ leftOut }) => leftOut ?? []), ...dropped],
      tooMany,
      replaced: changed.flatMap(({ replaced }) => replaced ?? []),
      repairs: parts.flat().length === groups.flat().length ? [] : [makeRepair("tool-call-known", where, doubled)]
    }
  })
})
