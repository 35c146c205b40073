/**
 * The failures of a request to Ollama, as facts, and the `AiError` for each. OllamaModel puts the facts into the
 * metadata of the reason under `ollama`, where ModelErrors reads them.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"

/** The host is not a valid address. */
const BadAddress = Schema.TaggedStruct("BadAddress", { host: Schema.String })
/** No response came back: nothing listens, the name is unknown, the connection broke before the first byte. */
const NoResponse = Schema.TaggedStruct("NoResponse", { detail: Schema.String })
/** A status other than 200. `json` tells whether it was Ollama's own error object; `retryAfter` is in seconds. */
const BadStatus = Schema.TaggedStruct("BadStatus", {
  status: Schema.Int,
  json: Schema.Boolean,
  detail: Schema.String,
  retryAfter: Schema.optionalKey(Schema.Int)
})
/** The prompt is longer than the context window; both are in tokens, as the server counted them. */
const PromptTooLong = Schema.TaggedStruct("PromptTooLong", { promptTokens: Schema.Int, window: Schema.Int })
/** The server sent `{"error": ...}` in the middle of an answer. */
const ErrorLine = Schema.TaggedStruct("ErrorLine", { detail: Schema.String })
/** The answer holds data that Ollama does not send; `excerpt` is its beginning. */
const BadLine = Schema.TaggedStruct("BadLine", { excerpt: Schema.String })
/** One line or document is larger than `limit` bytes. */
const TooLarge = Schema.TaggedStruct("TooLarge", { limit: Schema.Int })
/** The connection ended before the answer did. */
const BrokenOff = Schema.TaggedStruct("BrokenOff", { detail: Schema.String })
/** No connection was made for `millis`. */
const NotConnected = Schema.TaggedStruct("NotConnected", { millis: Schema.Finite })
/** The server accepted the request and sent nothing for `millis`. */
const NoFirstToken = Schema.TaggedStruct("NoFirstToken", { millis: Schema.Finite })
/** The answer made no progress for `millis`. */
const Stalled = Schema.TaggedStruct("Stalled", { millis: Schema.Finite })
/** The answer was not complete after `millis`. */
const TooLong = Schema.TaggedStruct("TooLong", { millis: Schema.Finite })

export const OllamaErrorReason = Schema.Union([
  BadAddress,
  NoResponse,
  BadStatus,
  PromptTooLong,
  ErrorLine,
  BadLine,
  TooLarge,
  BrokenOff,
  NotConnected,
  NoFirstToken,
  Stalled,
  TooLong
])
export type OllamaErrorReason = typeof OllamaErrorReason.Type

/** Describes the failure without a full stop, since it becomes part of longer sentences. */
const describe = (reason: OllamaErrorReason, api = "Ollama"): string => {
  switch (reason._tag) {
    case "BadAddress":
      return `"${reason.host}" is not an address`
    case "BadStatus":
      return `HTTP ${reason.status}: ${reason.detail}`
    case "PromptTooLong":
      return `the prompt has ${reason.promptTokens} tokens, the context window ${reason.window}`
    case "BadLine":
      return `the server sent something that is not an answer of ${api}: ${reason.excerpt}`
    case "TooLarge":
      return `the server sent more than ${reason.limit} bytes in one piece`
    case "NotConnected":
      return `no connection within ${Duration.format(Duration.millis(reason.millis))}`
    case "TooLong":
      return `the answer was not complete within ${Duration.format(Duration.millis(reason.millis))}`
    case "NoFirstToken":
      return `no first token within ${Duration.format(Duration.millis(reason.millis))}`
    case "Stalled":
      return `no further token within ${Duration.format(Duration.millis(reason.millis))}`
    default:
      return reason.detail
  }
}

/** A request to Ollama failed; `reason` holds the facts. */
export class OllamaError extends Schema.TaggedError<OllamaError>()("OllamaError", { reason: OllamaErrorReason }) {
  override get message(): string {
    return describe(this.reason)
  }
}

/** The request that failed, for `AiError`. */
export interface FailedRequest {
  /** The method of the language model: `generateText` or `streamText`. */
  readonly method: string
  readonly url: string
  /** What was spoken, when it is not the API of Ollama. */
  readonly api?: "OpenAI"
}

const statusReason = (reason: typeof BadStatus.Type, description: string): AiError.AiErrorReason => {
  const facts = { description, metadata: { ollama: { ...reason } } }
  switch (reason.status) {
    case 401:
      return new AiError.AuthenticationError({ kind: "InvalidKey", ...facts })
    case 402:
      return new AiError.QuotaExhaustedError({ metadata: facts.metadata })
    case 403:
      return new AiError.AuthenticationError({ kind: "InsufficientPermissions", ...facts })
    case 404:
      return reason.json
        ? new AiError.InvalidRequestError({ parameter: "model", ...facts })
        : new AiError.InvalidRequestError(facts)
    case 408:
    case 429:
      return new AiError.RateLimitError({
        metadata: facts.metadata,
        ...(reason.retryAfter === undefined ? {} : { retryAfter: Duration.seconds(reason.retryAfter) })
      })
    default:
      return reason.status >= 500 ? new AiError.InternalProviderError(facts) : new AiError.InvalidRequestError(facts)
  }
}

const aiReason = (error: OllamaError, request: FailedRequest): AiError.AiErrorReason => {
  const { reason } = error
  const description = describe(reason, request.api === undefined ? undefined : `the ${request.api} API`)
  const facts = { description, metadata: { ollama: { ...reason } } }
  switch (reason._tag) {
    case "BadAddress":
    case "NoResponse":
      return new AiError.NetworkError({
        reason: reason._tag === "BadAddress" ? "InvalidUrlError" : "TransportError",
        method: "POST",
        url: request.url,
        description
      })
    case "BadStatus":
      return statusReason(reason, description)
    case "PromptTooLong":
      return new AiError.InvalidRequestError({ parameter: "messages", ...facts })
    case "BadLine":
    case "TooLarge":
      return new AiError.InvalidResponseError(facts)
    case "ErrorLine":
    case "BrokenOff":
    case "NotConnected":
    case "NoFirstToken":
    case "Stalled":
    case "TooLong":
      return new AiError.InternalProviderError(facts)
  }
}

/** Translates a failure for effect/ai; all but network errors keep the facts as `metadata.ollama`. */
export const toAiError = (error: OllamaError, request: FailedRequest): AiError.AiError =>
  AiError.make({
    module: request.api === "OpenAI" ? "OpenAiModel" : "OllamaModel",
    method: request.method,
    reason: aiReason(error, request)
  })
