/**
 * How one answer is written: what the request of a call sets beside its prompt, of which a provider takes what it knows, and
 * how long the call may take in each phase.
 */
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Sampling, Think } from "../../domain/models/Generation.ts"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import type { RequestNotice } from "./RequestFit.ts"
import { ServerError } from "./ServerFailure.ts"

/** How long each phase of a call may take, and all of it, in seconds. */
export interface CallSeconds {
  readonly connect: number
  readonly firstWord: number
  readonly nextWord: number
  readonly call: number
}

export const secondsOf = (limits: Limits): CallSeconds => ({
  connect: limits.connectSeconds,
  firstWord: limits.firstWordSeconds,
  nextWord: limits.nextWordSeconds,
  call: limits.callSeconds
})

/** What holds an answer to its form: a grammar (GBNF), for a server that takes one, else a JSON schema. */
export interface Bound {
  readonly grammar?: string | undefined
  readonly format?: object | undefined
}

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
  /** Free text when absent. */
  readonly bound?: Bound
  /** True when the server refuses a prompt over its window without being asked to. */
  readonly refusesLong?: boolean | undefined
  /** How long each phase of the call may take; the default limits when absent. */
  readonly seconds?: CallSeconds
  /** Is called when the server has accepted the connection. */
  readonly connected?: () => void
  /** Is called with what a server does not take of requests, once for each part. */
  readonly noticed?: (notice: RequestNotice) => void
}

/** A reference, since the interface of LanguageModel has no parameter for it. */
export const CallOptions = Context.Reference<CallSettings>("task-conductor/services/providers/CallOptions", {
  defaultValue: () => ({ sampling: {} })
})

/** How far a call is; times in milliseconds. */
export interface CallState {
  readonly began: number
  isConnected: boolean
  /** When its last object came; absent before the first. */
  heardAt: number | undefined
}

/** When a call ends that makes no further progress; `heardAny` is when the server last sent an object to any call. */
const endOfCall = (seconds: CallSeconds, { began, heardAt, isConnected }: CallState, heardAny: number) => {
  const end = (phase: keyof CallSeconds, since: number) => ({ phase, at: since + seconds[phase] * 1000 })
  const whole = end("call", began)
  const connect = end("connect", began)
  const silent = end("firstWord", Math.max(began, heardAny))
  const first = isConnected || silent.at <= connect.at ? silent : connect
  const wait = heardAt === undefined ? first : end("nextWord", heardAt)
  return wait.at < whole.at ? wait : whole
}

/** Fails at the moment at which a call takes too long, which moves while it is waited for. */
export const watchCall = (
  seconds: CallSeconds = secondsOf(defaultLimits),
  state: CallState,
  heardAny: () => number
): Effect.Effect<never, ServerError> =>
  Effect.gen(function* () {
    for (;;) {
      const { at, phase } = endOfCall(seconds, state, heardAny())
      const msLeft = at - (yield* Clock.currentTimeMillis)
      if (msLeft <= 0) return yield* new ServerError({ failure: { _tag: "TimedOut", phase, seconds: seconds[phase] } })
      // The first object may shorten the time that is left.
      yield* Effect.sleep(Duration.millis(Math.min(msLeft, seconds.nextWord * 1000)))
    }
  })
