/**
 * How long a call of an Ollama server may take in each phase: connecting, the first line, each further line, and as a
 * whole. A server that answers another call meanwhile is at work, and so the wait for a first line begins anew.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { defaultLimits } from "../../../domain/configuration/Limits.ts"
import type { CallSettings } from "../CallOptions.ts"
import { OllamaError, type OllamaErrorReason } from "./OllamaErrors.ts"

/** The longest times of one call, in milliseconds. */
export interface CallTimes {
  readonly connect: number
  readonly firstToken: number
  readonly idle: number
  readonly total: number
}

const defaultTimes: CallTimes = {
  connect: defaultLimits.connectSeconds * 1000,
  firstToken: defaultLimits.firstWordSeconds * 1000,
  idle: defaultLimits.nextWordSeconds * 1000,
  total: defaultLimits.callSeconds * 1000
}

/** The times of a call: its own, those that the model was made with, or the defaults. */
export const timesOf = (given: Partial<CallTimes> | undefined, own: CallSettings["seconds"]): CallTimes => ({
  ...defaultTimes,
  ...given,
  ...(own === undefined
    ? {}
    : {
        connect: own.connect * 1000,
        firstToken: own.firstWord * 1000,
        idle: own.nextWord * 1000,
        total: own.call * 1000
      })
})

/** When the server last sent a line, to any call. */
export interface Heard {
  at: number
}

/** A moment at which a call ends, and what it ends with. */
interface End {
  readonly at: number
  readonly reason: OllamaErrorReason
}

const earliest = (ends: ReadonlyArray<End>, last: End): End =>
  ends.reduce((first, end) => (end.at < first.at ? end : first), last)

/** Begins the time of a call, which is about to be sent. `isConnected` says whether the server has taken it. */
export const beginWaits = Effect.fnUntraced(function* (times: CallTimes, heard: Heard, isConnected: () => boolean) {
  const began = yield* Clock.currentTimeMillis
  const whole: End = { at: began + times.total, reason: { _tag: "TooLong", millis: times.total } }

  const endOfFirst = (): End => {
    const silent = { at: Math.max(began, heard.at) + times.firstToken, reason: noFirstToken(times) }
    const unconnected: End = { at: began + times.connect, reason: { _tag: "NotConnected", millis: times.connect } }
    return earliest(isConnected() ? [silent] : [unconnected, silent], whole)
  }

  /** Never returns; fails when a limit has passed. What ends the call may move while it is waited for. */
  const untilLate: Effect.Effect<never, OllamaError> = Effect.gen(function* () {
    for (;;) {
      const { at, reason } = endOfFirst()
      const now = yield* Clock.currentTimeMillis
      if (now >= at) return yield* new OllamaError({ reason })
      yield* Effect.sleep(Duration.millis(at - now))
    }
  })

  const hear = Effect.map(Clock.currentTimeMillis, (now) => {
    heard.at = now
  })

  return {
    /** The answer up to its first line. */
    first: <A>(answer: Effect.Effect<A, OllamaError>): Effect.Effect<A, OllamaError> =>
      Effect.raceFirst(answer, untilLate).pipe(Effect.tap(() => hear)),
    /** One further line. */
    next: <A>(line: Effect.Effect<A, OllamaError>): Effect.Effect<A, OllamaError> =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const stalled: End = { at: now + times.idle, reason: { _tag: "Stalled", millis: times.idle } }
        const { at, reason } = earliest([stalled], whole)
        const late = new OllamaError({ reason })
        if (now >= at) return yield* late
        const read = yield* Effect.timeoutOrElse(line, {
          duration: Duration.millis(at - now),
          orElse: () => Effect.fail(late)
        })
        yield* hear
        return read
      })
  }
})

const noFirstToken = ({ firstToken }: CallTimes): OllamaErrorReason => ({ _tag: "NoFirstToken", millis: firstToken })
