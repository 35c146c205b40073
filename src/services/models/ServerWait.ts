/**
 * Waits for a model server that has stopped or is overloaded. All calls of a run wait. One of them at a time tries the
 * server.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** The delays between tries, in milliseconds. The last one repeats. */
const delays = [1000, 2000, 4000, 5000]

/** How often the remaining time is reported, in milliseconds. */
const reportEvery = 10_000

interface Outage {
  readonly since: number
  readonly ends: number
  readonly over: Deferred.Deferred<void>
  /** The error with which the outage began. */
  readonly error: ModelError
  tries: number
  reportedAt: number
}

/** True for an error after which the server will probably respond again. */
const isWaitedFor = (reason: ModelErrorReason, wasReached: boolean): boolean =>
  (reason._tag === "Unreachable" && wasReached) || (reason._tag === "Busy" && reason.isOverloaded === true)

/** Adds to the error how long the call has waited. */
const afterWait = (error: ModelError, seconds: number): ModelError =>
  error.reason._tag === "Unreachable" || error.reason._tag === "Busy"
    ? new ModelError({ reason: { ...error.reason, waitedSeconds: seconds } })
    : error

export interface ServerWait {
  /** Notes that the server responds and is not overloaded. Waiting calls continue. */
  readonly reached: Effect.Effect<void>
  /** Notes that the server responds, without waking waiting calls. */
  readonly noteAnswered: () => void
  /** Waits while the server is known to be gone. Every call begins with this. */
  readonly ready: Effect.Effect<void>
  readonly waitsFor: (error: ModelError) => boolean
  /** Waits after an error until the call should be sent again. Fails after the maximum wait. */
  readonly after: (error: ModelError) => Effect.Effect<void, ModelError>
}

/**
 * False if a call should fail at once when the server has stopped. A worker sets this, because another machine may have
 * a server.
 */
export const WaitsForServer = Context.Reference("task-conductor/services/models/ServerWait/WaitsForServer", {
  defaultValue: () => true
})

/**
 * Makes calls wait for a server that does not respond. `seconds` is the longest wait; 0 disables waiting. Calls do not
 * wait for a server that has never responded.
 */
export const makeServerWait = (events: RunEvents["Service"], seconds: number): Effect.Effect<ServerWait> =>
  Effect.gen(function* () {
    const mutex = yield* Semaphore.make(1)
    let outage: Outage | undefined
    const waitsForServer = yield* WaitsForServer
    let wasReached = false

    const endOutage = Effect.fnUntraced(function* ({ over, since }: Outage) {
      const waitedSeconds = Math.round(((yield* Clock.currentTimeMillis) - since) / 1000)
      yield* events.publish({ type: "server.back", waitedSeconds })
      yield* Deferred.succeed(over, undefined)
    })
    const reached = Effect.suspend(() => {
      wasReached = true
      const over = outage
      outage = undefined
      return over === undefined ? Effect.void : endOutage(over)
    })

    const begin = Effect.fnUntraced(function* (error: ModelError) {
      if (outage !== undefined) return outage
      const over = yield* Deferred.make<void>()
      const since = yield* Clock.currentTimeMillis
      outage ??= { since, ends: since + seconds * 1000, over, error, tries: 0, reportedAt: -Infinity }
      return outage
    })

    const report = (mine: Outage, now: number) => {
      if (now - mine.reportedAt < reportEvery) return Effect.void
      mine.reportedAt = now
      const { message, reason } = mine.error
      const secondsLeft = Math.ceil((mine.ends - now) / 1000)
      return events.publish({ type: "server.waiting", reason: reason._tag, message, secondsLeft })
    }

    /** Waits for the next try. Other calls queue behind it, so only one at a time tries the server. */
    const nextTry = (mine: Outage): Effect.Effect<void> =>
      mutex.withPermits(1)(
        Effect.gen(function* () {
          if (outage !== mine) return
          const now = yield* Clock.currentTimeMillis
          const msLeft = mine.ends - now
          if (msLeft <= 0) return
          yield* report(mine, now)
          const delay = delays[Math.min(mine.tries, delays.length - 1)] ?? 0
          mine.tries += 1
          yield* Effect.raceFirst(Effect.sleep(Duration.millis(Math.min(delay, msLeft))), Deferred.await(mine.over))
        })
      )

    return {
      reached,
      noteAnswered: () => {
        wasReached = true
      },
      waitsFor: ({ reason }) => seconds > 0 && isWaitedFor(reason, wasReached && waitsForServer),
      ready: Effect.suspend(() => (outage === undefined ? Effect.void : nextTry(outage))),
      after: Effect.fnUntraced(function* (error: ModelError) {
        const mine = yield* begin(error)
        if ((yield* Clock.currentTimeMillis) >= mine.ends) return yield* afterWait(error, seconds)
        yield* nextTry(mine)
      })
    }
  })
