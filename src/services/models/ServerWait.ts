/**
 * Waiting for a model server that stopped or has too much to do. All calls of a run share one wait: one of them at a
 * time tries whether the server is back, and as soon as it is, all go on.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** Delays between two tries, in milliseconds; the last one holds for all that follow. */
const delays = [1000, 2000, 4000, 5000]

/** How often it is reported how much time is left, in milliseconds. */
const reportEvery = 10_000

interface Outage {
  readonly since: number
  readonly ends: number
  readonly over: Deferred.Deferred<void>
  /** What it began with. */
  readonly error: ModelError
  tries: number
  reportedAt: number
}

/** True for an error with which a server says, or shows, that it will be able to answer later. */
const isWaitedFor = (reason: ModelErrorReason, wasReached: boolean): boolean =>
  (reason._tag === "Unreachable" && wasReached) || (reason._tag === "Busy" && reason.isOverloaded === true)

/** The error after a wait says how long it was. */
const afterWait = (error: ModelError, seconds: number): ModelError =>
  error.reason._tag === "Unreachable" || error.reason._tag === "Busy"
    ? new ModelError({ reason: { ...error.reason, waitedSeconds: seconds } })
    : error

export interface ServerWait {
  /** To be run when the server has said anything but that it is overloaded: calls that wait go on. */
  readonly reached: Effect.Effect<void>
  /** The server is known to have answered before; nothing goes on by it. */
  readonly noteAnswered: () => void
  /** To be run before a call is sent: waits while the server is known to be gone. */
  readonly ready: Effect.Effect<void>
  readonly waitsFor: (error: ModelError) => boolean
  /** Waits after an error that is waited for, until the call is to be sent again; fails when the time is over. */
  readonly after: (error: ModelError) => Effect.Effect<void, ModelError>
}

/** False where a call to a server that stopped fails at once, since another machine may have one. */
export const WaitsForServer = Context.Reference("task-conductor/services/models/ServerWait/WaitsForServer", {
  defaultValue: () => true
})

/** `seconds` is the longest wait; 0 waits for nothing. A server that never answered is not waited for. */
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

    /** Waits for the next try. Those behind wait for their turn, and so try one by one; each has its try at the end. */
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
