/**
 * Translates errors of effect/ai into the errors of the domain. It uses the facts that OllamaModel puts into the
 * metadata, and the general reason for any other provider.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as AiError from "effect/ai/AiError"
import { ModelError, type ModelErrorReason, type ReachedLimit } from "../../domain/models/ModelAnswer.ts"
import { OllamaErrorReason } from "./ollama/OllamaErrors.ts"

/** What the caller knows of the request. `partial` is the text that had arrived. */
export interface FailureContext {
  readonly host: string
  readonly model: string
  readonly partial: string
  /** Estimated tokens of the prompt, and the window: for a server that says only that the prompt is too long. */
  readonly promptTokens?: number
  readonly window?: number
  /** What the answer ended with, again and again. */
  readonly repeated?: { readonly piece: string; readonly times: number }
}

const decodeFacts = Schema.decodeUnknownOption(OllamaErrorReason)

const factsOf = (reason: AiError.AiErrorReason): OllamaErrorReason | undefined =>
  "metadata" in reason ? Option.getOrUndefined(decodeFacts(reason.metadata["ollama"])) : undefined

/** One short line without a full stop, since the messages of `ModelError` continue after it. */
const detailOf = (reason: AiError.AiErrorReason, facts: OllamaErrorReason | undefined): string => {
  const said =
    "description" in reason && reason.description !== undefined && reason.description !== ""
      ? reason.description
      : facts !== undefined && "detail" in facts
        ? facts.detail
        : reason.message
  return (said.split("\n", 1)[0] ?? "").replace(/\.$/, "")
}

/** Names the setting, and not a model such as `qwen3:4b-thinking`. */
const namesThinking = /(?:^|[^-:/\w])think(?:ing)?(?![-:/\w])|\breasoning_effort\b/i

/** What Ollama says of a prompt that is longer than the window. */
const saysTooLong = /input length exceeds the context length/i

/** A server that has too much to do, and a proxy whose server is being restarted. */
const overloadedStatus: ReadonlySet<number> = new Set([502, 503, 504])

const limitOf = (name: ReachedLimit["name"], { millis }: { readonly millis: number }): ReachedLimit => ({
  name,
  seconds: Math.round(millis / 1000)
})

/** Ollama ends an answer without its last line when one token came more than thirty times in a row. */
const stoppedAfter = 30

/** What the server stopped because the model repeated itself. */
const stoppedLoop = ({ partial, repeated }: FailureContext): ModelErrorReason | undefined => {
  if (repeated === undefined || repeated.times < stoppedAfter) return undefined
  const { piece, times } = repeated
  const detail = piece === "" ? `it wrote ${times} blanks in a row` : `it repeated "${piece}" ${times} times`
  return { _tag: "Hopeless", kind: "loop", detail, partial }
}

const readReason = (reason: AiError.AiErrorReason, context: FailureContext): ModelErrorReason => {
  const facts = factsOf(reason)
  const detail = detailOf(reason, facts)
  const broken = { _tag: "DiedMidStream" as const, detail, partial: context.partial }
  const hasBegun = context.partial !== ""
  if (facts?._tag === "BadStatus" && facts.status === 400 && namesThinking.test(facts.detail)) {
    return { _tag: "ThinkingRefused", detail }
  }
  if (facts?._tag === "BadStatus" && saysTooLong.test(facts.detail)) {
    return { _tag: "ContextOverflow", estimated: context.promptTokens ?? 0, window: context.window ?? 0 }
  }
  switch (facts?._tag) {
    case "PromptTooLong":
      return { _tag: "ContextOverflow", estimated: facts.promptTokens, window: facts.window }
    case "BrokenOff":
      return stoppedLoop(context) ?? broken
    case "ErrorLine":
      return broken
    case "NotConnected":
      return { _tag: "Unreachable", host: context.host, detail, limit: limitOf("connectSeconds", facts) }
    case "NoFirstToken":
      return { _tag: "Busy", detail, limit: limitOf("firstWordSeconds", facts) }
    case "Stalled":
      return { ...broken, limit: limitOf("nextWordSeconds", facts) }
    case "TooLong":
      return { ...broken, limit: limitOf("callSeconds", facts) }
  }
  switch (reason._tag) {
    case "NetworkError":
      return hasBegun ? broken : { _tag: "Unreachable", host: context.host, detail }
    case "RateLimitError":
      return hasBegun ? broken : { _tag: "Busy", detail, isOverloaded: true }
    case "InternalProviderError": {
      const isOverloaded = facts?._tag === "BadStatus" && overloadedStatus.has(facts.status)
      return hasBegun ? broken : { _tag: "Busy", detail, ...(isOverloaded ? { isOverloaded } : {}) }
    }
    case "InvalidRequestError":
      return reason.parameter === "model"
        ? { _tag: "ModelMissing", model: context.model, detail }
        : { _tag: "Refused", detail }
    case "InvalidResponseError":
    case "InvalidOutputError":
    case "StructuredOutputError":
      return broken
    default:
      return { _tag: "Refused", detail }
  }
}

/** Says which API the server speaks, where a message names what to check. */
const withApi = (reason: ModelErrorReason): ModelErrorReason =>
  reason._tag === "Unreachable" || reason._tag === "ModelMissing" || reason._tag === "Refused"
    ? { ...reason, api: "openai" }
    : reason

/** The error of the domain for a failed request of any provider. */
export const fromAiError = (error: AiError.AiError, context: FailureContext): ModelError => {
  const reason = readReason(error.reason, context)
  return new ModelError({ reason: error.module === "OpenAiModel" ? withApi(reason) : reason })
}
