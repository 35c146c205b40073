/**
 * The running calls that change something. If the run should stop, no further call begins, and the run stops when these
 * calls have ended.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { PermissionDenied } from "../permissions/GateQuestion.ts"

export const makeInFlightCalls = Effect.map(Deferred.make<string>(), (stopped) => {
  const inFlight = new Set<string>()
  let why: PermissionDenied | undefined
  return {
    /** If the run should stop, fails with a denial of a call of this tool. */
    mayBegin: (tool: string) =>
      Effect.suspend(() => {
        if (why === undefined) return Effect.void
        return new PermissionDenied({ tool, targets: [], by: why.by, reason: "is not started, because the run stops" })
      }),
    /** Notes that the call with this key will now change something. */
    begin: (key: string) => Effect.sync(() => void inFlight.add(key)),
    /** Notes that the call with this key has ended and its result is recorded. The call need not have begun. */
    end: (key: string) =>
      Effect.suspend(() => {
        inFlight.delete(key)
        return why === undefined || inFlight.size > 0 ? Effect.void : Deferred.succeed(stopped, why.message)
      }),
    stop: (reason: PermissionDenied) => Effect.sync(() => void (why ??= reason)),
    /** Why the run should stop; undefined if it should not. */
    reason: Effect.sync(() => why),
    /** Resolves with the reason once the run has stopped. */
    stopped: Deferred.await(stopped)
  }
})
