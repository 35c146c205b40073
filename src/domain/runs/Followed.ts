/**
 * Tells whether a run did what the user wanted in place of a declined step or call. Only results of calls count,
 * because a model may claim success without any change.
 */
import type { RequestedChange } from "../permissions/ApprovalItem.ts"
import { deniedOf } from "../plan/TaskResult.ts"
import { type CallOutcome, fileTools } from "../tools/ToolCall.ts"
import type { ChangeKinds, RoundWork } from "./NotDone.ts"

/**
 * A change that the user wants in place of a declined step or call. `round` is the round in which the user said so,
 * from 1.
 */
export interface RequestedInRound extends RequestedChange {
  readonly round: number
}

const isSameKind = (tool: string, other: string): boolean =>
  tool === other || (fileTools.has(tool) && fileTools.has(other))

/** True if a call of the same kind succeeded in the same task after the denied call. */
const isFollowedAtOnce = ({ task, tool }: RequestedChange, { results }: RoundWork): boolean => {
  if (tool === undefined) return false
  const calls = results.find(({ name }) => name === task)?.calls ?? []
  const denied = calls.findLastIndex(
    ({ call, result }) => call.name === tool && result.error_type === "permission_denied"
  )
  return calls.slice(denied + 1).some(({ call, result }) => result.success && isSameKind(tool, call.name))
}

/**
 * The requested changes that the run did not make. If the user declined a change, the run must make another change
 * instead. If the user declined a read, any later result is enough, unless all its calls were denied.
 */
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
