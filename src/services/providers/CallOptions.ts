/** The settings and time limits of one call, without its prompt. A provider uses the settings that it knows. */
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Sampling, Think } from "../../domain/models/Generation.ts"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import type { RequestNotice } from "./RequestFit.ts"
import { ServerError } from "./ServerFailure.ts"

/** The time limits of a call and its phases, in seconds. */
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

/**
 * The form that the server forces on the answer. A server that accepts a grammar (GBNF) uses the grammar, any other
 * server the JSON schema.
 */
export interface Bound {
  /** The grammar in GBNF. */
  readonly grammar?: string | undefined
  /** The JSON schema. */
  readonly format?: object | undefined
}

/** What can be set for one call, besides its prompt. */
export interface CallSettings {
  /**
   * The model that a skill or stage chose in place of the model of the run. A provider with a single model ignores it.
   */
  readonly model?: string
  /** The sampling parameters. The server chooses absent ones. */
  readonly sampling: Sampling
  /** Whether the model thinks. If absent, the model decides. */
  readonly think?: Think
  /** The context window in tokens (`num_ctx` of Ollama). The provider decides if absent. */
  readonly contextWindow?: number
  /** The limit of thoughts and answer together, in tokens. The provider decides if absent. */
  readonly maxTokens?: number
  /** The form that the answer must have. If absent, it may be any text. */
  readonly bound?: Bound
  /** True if the server refuses a prompt larger than its window. */
  readonly refusesLong?: boolean | undefined
  /** The time limits of the call; the default limits if absent. */
  readonly seconds?: CallSeconds
  /** Called when the server has accepted the connection. */
  readonly connected?: () => void
  /** Called once for each part of a request that the server refuses. */
  readonly noticed?: (notice: RequestNotice) => void
}

/** The settings of the current call. The LanguageModel interface has no parameter for them. */
export const CallOptions = Context.Reference<CallSettings>("task-conductor/services/providers/CallOptions", {
  defaultValue: () => ({ sampling: {} })
})

/** The progress of a call so far. Times are in milliseconds. */
export interface CallState {
  readonly began: number
  isConnected: boolean
  /** When the last object of the call arrived. Undefined before the first. */
  receivedAt: number | undefined
}

/**
 * The time at which a call times out if nothing more arrives, and the phase whose limit is then over. `anyReceivedAt`
 * is when the server last sent an object to any call.
 */
const endOfCall = (seconds: CallSeconds, { began, receivedAt, isConnected }: CallState, anyReceivedAt: number) => {
  const end = (phase: keyof CallSeconds, since: number) => ({ phase, at: since + seconds[phase] * 1000 })
  const whole = end("call", began)
  const connect = end("connect", began)
  const silent = end("firstWord", Math.max(began, anyReceivedAt))
  const first = isConnected || silent.at <= connect.at ? silent : connect
  const wait = receivedAt === undefined ? first : end("nextWord", receivedAt)
  return wait.at < whole.at ? wait : whole
}

/** Fails when the call times out. Progress of the call gives it more time. */
export const watchCall = (
  seconds: CallSeconds = secondsOf(defaultLimits),
  state: CallState,
  anyReceivedAt: () => number
): Effect.Effect<never, ServerError> =>
  Effect.gen(function* () {
    for (;;) {
      const { at, phase } = endOfCall(seconds, state, anyReceivedAt())
      const msLeft = at - (yield* Clock.currentTimeMillis)
      if (msLeft <= 0) return yield* new ServerError({ failure: { _tag: "TimedOut", phase, seconds: seconds[phase] } })
      // From the first object on, the limit for the next word may end the call earlier. So no wait is longer than this
      // limit.
      yield* Effect.sleep(Duration.millis(Math.min(msLeft, seconds.nextWord * 1000)))
    }
  })
