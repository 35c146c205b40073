/**
 * Checks the calls and changes of an answer before the program makes any of them: their form, their arguments, and the
 * limits of the skill and of a turn. Also finds changes that would destroy content.
 */
import * as Effect from "effect/Effect"
import {
  type AnswerCall,
  type CheckedCalls,
  joinedChecks,
  withoutDoubles
} from "../../domain/documents/CheckedCalls.ts"
import type { TurnContent } from "../../domain/documents/TurnFormat.ts"
import { callsBeyondLimits } from "../../domain/skills/Skill.ts"
import { type ToolCall, withMoves } from "../../domain/tools/ToolCall.ts"
import type { UnmadeChange } from "../../domain/tools/OpenChanges.ts"
import { inOneCall, makeAnswerChanges } from "../changes/AnswerChanges.ts"
import { makeTidyCall } from "../changes/TidyCalls.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeSkillFileRead } from "../skills/SkillFileRead.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Assignment } from "./Session.ts"
import type { AgentTurn } from "./Turn.ts"

/**
 * The calls to make. Empty if the work only plans calls. Also empty if no answer can follow and this answer has no
 * report, because the model would never see the results.
 */
export const callsToMake = (
  { answer, answersLeft, work: { assignment } }: Pick<AgentTurn, "answer" | "answersLeft" | "work">,
  possible: ReadonlyArray<ToolCall>
): ReadonlyArray<ToolCall> =>
  assignment.kind === "calls" || (answersLeft === 0 && answer.content.report === undefined) ? [] : possible

export const makeCallChecker = Effect.gen(function* () {
  const callsOfChanges = yield* makeAnswerChanges
  const registry = yield* ToolRegistry
  const skillFileRead = yield* makeSkillFileRead
  const tidyCall = yield* makeTidyCall
  const { askFirst = false, limits } = yield* RunSettings

  /** Checks one call. Rejects a change that would destroy too much of its file. */
  const checkOne = Effect.fnUntraced(function* (
    { request, skill, task, tools }: Assignment,
    wanted: ToolCall,
    saysRemoval: boolean
  ): Effect.fn.Return<AnswerCall | UnmadeChange> {
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

  return Effect.fnUntraced(function* (assignment: Assignment, content: TurnContent): Effect.fn.Return<CheckedCalls> {
    const changed = yield* callsOfChanges(content.changes, assignment.task)
    const changing = changed.map(({ calls }) => calls)
    // A replacement counts as one call, even if it changes many files. Changes come before calls, so that the calls see
    // the changed files.
    const groups = [
      ...(askFirst ? inOneCall(changing.flat()).map((call) => [call]) : changing),
      ...content.calls.map((call) => [call])
    ]
    const parts = withoutDoubles(groups)
    // Changes of the working copy are limited only by the length of the answer.
    const most = (askFirst ? 0 : withoutDoubles(changing).length) + limits.toolCallsPerIteration
    const checked = yield* Effect.forEach(parts.slice(0, most).flat(), (call) =>
      checkOne(assignment, call, content.saysRemoval === true)
    )
    return joinedChecks(content, { ...assignment, changed, checked, groups, most, parts })
  })
})
