/**
 * Whether a run did what a person wanted in the place of what they declined. A model may call the goals met after it did nothing, or
 * after it looked at something; what counts is what the calls came to.
 */
import type { RequestedChange } from "../permissions/ApprovalItem.ts"
import { deniedOf } from "../plan/TaskResult.ts"
import { type CallOutcome, fileTools } from "../tools/ToolCall.ts"
import type { ChangeKinds, RoundWork } from "./NotDone.ts"

/** What a person wanted instead, with the number of the round in which they said so, from 1. */
export interface RequestedInRound extends RequestedChange {
  readonly round: number
}

/** True for a tool that does in another way what this one does. */
const isSameKind = (tool: string, other: string): boolean =>
  tool === other || (fileTools.has(tool) && fileTools.has(other))

/** True when a call of the same kind succeeded in the same task after the one that was declined. */
const isFollowedAtOnce = ({ task, tool }: RequestedChange, { results }: RoundWork): boolean => {
  if (tool === undefined) return false
  const calls = results.find(({ name }) => name === task)?.calls ?? []
  const denied = calls.findLastIndex(
    ({ call, result }) => call.name === tool && result.error_type === "permission_denied"
  )
  return calls.slice(denied + 1).some(({ call, result }) => result.success && isSameKind(tool, call.name))
}

/** What was wanted and not done: a change needs a change in its place, and what only looks needs a later result. */
export const unfollowed = (
  requested: ReadonlyArray<RequestedInRound>,
  rounds: ReadonlyArray<RoundWork>,
  { changeOf }: ChangeKinds
): ReadonlyArray<RequestedChange> => {
  const isChange = ({ call, result }: CallOutcome): boolean => result.success && changeOf(call) !== undefined
  return requested.filter((change) => {
    const requestedIn = rounds[change.round - 1]
    const later = rounds.slice(change.round).flatMap(({ results }) => results)
    const isDone = later.some(({ calls }) =>
      change.isRead === true ? deniedOf(calls) !== "all" : calls.some(isChange)
    )
    return !isDone && (requestedIn === undefined || !isFollowedAtOnce(change, requestedIn))
  })
}
