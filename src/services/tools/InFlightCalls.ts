/**
 * The running calls of a run that change something, and whether the run should stop. If so, no further call begins, and
 * the run stops when the running calls have ended.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { PermissionDenied } from "../permissions/GateQuestion.ts"

export const makeInFlightCalls = Effect.map(Deferred.make<string>(), (stopped) => {
  const inFlight = new Set<string>()
  let why: PermissionDenied | undefined
  return {
    /** Denies a call of this tool if the run should stop. */
    mayBegin: (tool: string) =>
      Effect.suspend(() => {
        if (why === undefined) return Effect.void
        return new PermissionDenied({ tool, targets: [], by: why.by, reason: "is not started, because the run stops" })
      }),
    /** Notes that the call with this key is about to change something. */
    begin: (key: string) => Effect.sync(() => void inFlight.add(key)),
    /** Notes that the call has ended and its result is recorded, whether or not it had started. */
    end: (key: string) =>
      Effect.suspend(() => {
        inFlight.delete(key)
        return why === undefined || inFlight.size > 0 ? Effect.void : Deferred.succeed(stopped, why.message)
      }),
    stop: (reason: PermissionDenied) => Effect.sync(() => void (why ??= reason)),
    /** Why the run should stop, or undefined. */
    reason: Effect.sync(() => why),
    /** Resolves with the reason once the run has stopped. */
    stopped: Deferred.await(stopped)
  }
})
