/**
 * How one answer is written: what the request of a call sets beside its prompt, of which a provider takes what it knows, and
 * how long the call may take in each phase.
 */
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Sampling, Think } from "../../domain/models/Generation.ts"
import { defaultLimits } from "../../domain/configuration/Limits.ts"
import { ServerError, type ServerFailure } from "./ServerFailure.ts"

export interface CallSettings {
  /** The model that a skill or stage chose instead of that of the run; a provider with only one ignores it. */
  readonly model?: string
  readonly sampling: Sampling
  /** Left to the model when absent. */
  readonly think?: Think
  /** `num_ctx`; what the provider was made with when absent. */
  readonly contextWindow?: number
  /** The most tokens of thoughts and answer together; what the provider was made with when absent. */
  readonly maxTokens?: number
  /** The JSON schema that the answer has to fit; free text when absent. */
  readonly format?: object
  /** How long each phase of the call may take, in seconds; what the provider was made with when absent. */
  readonly seconds?: {
    readonly connect: number
    readonly firstWord: number
    readonly nextWord: number
    /** All of it. */
    readonly call: number
  }
  /** Is called when the server has accepted the connection. */
  readonly connected?: () => void
}

/** A reference, since the interface of LanguageModel has no parameter for it. */
export const CallOptions = Context.Reference<CallSettings>("task-conductor/services/providers/CallOptions", {
  defaultValue: () => ({ sampling: {} })
})

/** The longest times of one call, in milliseconds. */
export interface CallTimes {
  readonly connect: number
  readonly firstToken: number
  readonly idle: number
  readonly total: number
}

const defaultSeconds: NonNullable<CallSettings["seconds"]> = {
  connect: defaultLimits.connectSeconds,
  firstWord: defaultLimits.firstWordSeconds,
  nextWord: defaultLimits.nextWordSeconds,
  call: defaultLimits.callSeconds
}

/** The times of a call: its own, those that the model was made with, or the defaults. */
export const timesOf = (given: Partial<CallTimes> | undefined, own: CallSettings["seconds"]): CallTimes => {
  const { call, connect, firstWord, nextWord } = own ?? defaultSeconds
  const times = { connect: connect * 1000, firstToken: firstWord * 1000, idle: nextWord * 1000, total: call * 1000 }
  return own === undefined ? { ...times, ...given } : times
}

/** How far a call is; times in milliseconds. */
export interface CallState {
  readonly began: number
  isConnected: boolean
  /** When its last object came; absent before the first. */
  heardAt: number | undefined
}

/** A moment at which a call ends, and what it ends with. */
interface End {
  readonly at: number
  readonly failure: ServerFailure
}

const endOfWait = ({ connect, firstToken, idle }: CallTimes, state: CallState, heardAny: number): End => {
  const { began, heardAt, isConnected } = state
  if (heardAt !== undefined) return { at: heardAt + idle, failure: { _tag: "Stalled", millis: idle } }
  const silent = Math.max(began, heardAny) + firstToken
  return isConnected || silent <= began + connect
    ? { at: silent, failure: { _tag: "NoFirstToken", millis: firstToken } }
    : { at: began + connect, failure: { _tag: "NotConnected", millis: connect } }
}

/** When a call ends that makes no further progress; `heardAny` is when the server last sent an object to any call. */
const endOfCall = (times: CallTimes, state: CallState, heardAny: number): End => {
  const wait = endOfWait(times, state, heardAny)
  const whole = state.began + times.total
  return wait.at < whole ? wait : { at: whole, failure: { _tag: "TooLong", millis: times.total } }
}

/** Fails at the moment at which a call takes too long, which moves while it is waited for. */
export const watchCall = (
  times: CallTimes,
  state: CallState,
  heardAny: () => number
): Effect.Effect<never, ServerError> =>
  Effect.gen(function* () {
    for (;;) {
      const { at, failure } = endOfCall(times, state, heardAny())
      const left = at - (yield* Clock.currentTimeMillis)
      if (left <= 0) return yield* new ServerError({ failure })
      // The first object may shorten the time that is left.
      yield* Effect.sleep(Duration.millis(Math.min(left, times.idle)))
    }
  })
