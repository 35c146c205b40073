/**
 * The calls in flight that change something, and whether the run is to stop: then no further call begins, and the run
 * stops when those in flight have ended.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { PermissionDenied } from "../permissions/PermissionDenied.ts"

export interface InFlightCalls {
  /** Denies a call of this tool when the run is to stop. */
  readonly mayBegin: (tool: string) => Effect.Effect<void, PermissionDenied>
  /** The call with this key is about to change something. */
  readonly begin: (key: string) => Effect.Effect<void>
  /** The call has ended and its result is recorded, whether it had begun or not. */
  readonly end: (key: string) => Effect.Effect<void>
  /** Stops the run, for this reason. */
  readonly stop: (reason: PermissionDenied) => Effect.Effect<void>
  /** Why the run is to stop, if it is. */
  readonly reason: Effect.Effect<PermissionDenied | undefined>
  /** Gives why, as soon as the run has stopped. */
  readonly stopped: Effect.Effect<string>
}

/** Makes the calls of one run. */
export const makeInFlightCalls = Effect.map(Deferred.make<string>(), (stopped): InFlightCalls => {
  const begun = new Set<string>()
  let why: PermissionDenied | undefined
  return {
    mayBegin: (tool) =>
      Effect.suspend(() =>
        why === undefined
          ? Effect.void
          : Effect.fail(
              new PermissionDenied({ tool, targets: [], by: why.by, reason: "is not started, because the run stops" })
            )
      ),
    begin: (key) => Effect.sync(() => void begun.add(key)),
    end: (key) =>
      Effect.suspend(() => {
        begun.delete(key)
        return why === undefined || begun.size > 0 ? Effect.void : Deferred.succeed(stopped, why.message)
      }),
    stop: (reason) =>
      Effect.sync(() => {
        why ??= reason
      }),
    reason: Effect.sync(() => why),
    stopped: Deferred.await(stopped)
  }
})
