/**
 * How one answer is written: what the request of a call sets beside its prompt. A provider takes what it knows.
 */
import * as Context from "effect/Context"
import type { Sampling, Think } from "../../domain/models/Generation.ts"

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
