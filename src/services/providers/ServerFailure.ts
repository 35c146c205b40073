/** How a request to a model server can fail, whatever its API, and how to read the errors that servers report. */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readServerOverflow, type ServerOverflow } from "../../domain/models/ServerOverflow.ts"
import { withoutDeeper } from "../../domain/text/Json.ts"
import type { SecureFault } from "./SecureFault.ts"

export type ServerFailure =
  /** The host is not a valid address. */
  | { readonly _tag: "BadAddress"; readonly host: string }
  /** No response: nothing listens, the host name is unknown, or the connection broke before the first byte. */
  | { readonly _tag: "NoResponse"; readonly detail: string; readonly hint?: string }
  /**
   * A status other than 200. `json` is true if the body was an error object of the API, `isMissing` if the server lacks
   * the model.
   */
  | {
      readonly _tag: "BadStatus"
      readonly status: number
      readonly json: boolean
      readonly detail: string
      readonly isMissing?: boolean
    }
  /** A secure connection is impossible, or the server accepts only secure connections. */
  | { readonly _tag: "NotSecure"; readonly fault: SecureFault }
  /** The prompt is longer than the context window. */
  | ({ readonly _tag: "PromptTooLong"; readonly detail: string } & ServerOverflow)
  /** The server reported an error in the middle of an answer. */
  | { readonly _tag: "ErrorLine"; readonly detail: string }
  /** Data in the answer that is not part of the API. `excerpt` is its beginning. */
  | { readonly _tag: "BadLine"; readonly excerpt: string }
  /** A line or document is larger than `limit` bytes. */
  | { readonly _tag: "TooLarge"; readonly limit: number }
  /** The connection ended before the answer was complete. */
  | { readonly _tag: "BrokenOff"; readonly detail: string }
  /** The time limit of this phase of the call was reached. */
  | { readonly _tag: "TimedOut"; readonly phase: keyof typeof notWithin; readonly seconds: number }

const notWithin = {
  connect: "no connection",
  firstWord: "no first token",
  nextWord: "no further token",
  call: "the answer was not complete"
}

/** The failure as a clause without a full stop. `api` is the name of the API. */
export const describeFailure = (failure: ServerFailure, api: string): string => {
  switch (failure._tag) {
    case "BadAddress":
      return `"${failure.host}" is not an address`
    case "BadStatus":
      return `HTTP ${failure.status}: ${failure.detail}`
    case "NotSecure":
      return failure.fault.what
    case "BadLine":
      return `the server sent something that is not an answer of ${api}: ${failure.excerpt}`
    case "TooLarge":
      return `the server sent more than ${failure.limit} bytes in one piece`
    case "TimedOut":
      return `${notWithin[failure.phase]} within ${Duration.format(Duration.seconds(failure.seconds))}`
    default:
      return failure.detail
  }
}

/** The error of a failed request to a model server. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly failure: ServerFailure }> {
  override get message(): string {
    return describeFailure(this.failure, "the API")
  }
}

/** The error for an unreadable line, with its first 80 characters. */
export const badLine = (text: string): ServerError =>
  new ServerError({ failure: { _tag: "BadLine", excerpt: text.slice(0, 80) } })

/** The error for data that is JSON, but not of the expected form. */
export const badShape = (said: unknown): ServerError => badLine(jsonOf(said))

/** The error for an answer that ended too early. `detail` says how it ended. */
export const brokenOff = (detail: string): ServerError => new ServerError({ failure: { _tag: "BrokenOff", detail } })

/**
 * Describes how llama-cpp-python ends an answer when another call arrives. Calls to such a server must run one after
 * another.
 */
export const endedForAnother = "the server ended the answer without a reason, as some do when another call comes"

/** Returns an error as a `ServerError`. Any other error counts as an unreadable answer. */
export const asServerError = (cause: unknown): ServerError =>
  cause instanceof ServerError ? cause : badLine(cause instanceof Error ? cause.message : String(cause))

/** The field `error` of a response. `overflow` is present if the prompt did not fit. */
export interface ErrorValue {
  readonly detail: string
  readonly overflow?: ServerOverflow
}

const asDetail = (text: string): string => text.trim().replace(/\.$/, "").slice(0, 500)

/** An error value as JSON text. Very deep levels are left out, because no real message needs them. */
const jsonOf = (value: unknown): string => JSON.stringify(withoutDeeper((value ?? null) as Schema.Json, 8))

/** The error of llama.cpp for a prompt that is too long, with both sizes in tokens. */
const isOverflow = Schema.is(
  Schema.Struct({
    type: Schema.Literal("exceed_context_size_error"),
    n_prompt_tokens: Schema.Int,
    n_ctx: Schema.Int
  })
)

/** The sizes of prompt and window, if an error says that the prompt is too long; otherwise undefined. */
const overflowOf = (error: object, detail: string): ServerOverflow | undefined => {
  if (isOverflow(error)) return { promptTokens: error.n_prompt_tokens, window: error.n_ctx }
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown }
  return readServerOverflow(detail) ?? readServerOverflow([code, type].filter(Predicate.isString).join(" "))
}

/** A validation error of FastAPI: the location and the message. */
const RequestFault = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  msg: Schema.String
})
const isRequestFaults = Schema.is(Schema.NonEmptyArray(RequestFault))

/** The text of an error: its `message`, or the `detail` of FastAPI. */
const wordsOf = (error: object): string => {
  const { detail, message } = error as { readonly detail?: unknown; readonly message?: unknown }
  if (typeof message === "string") return message
  if (typeof detail === "string") return detail
  if (!isRequestFaults(detail)) return jsonOf(error)
  return detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")
}

const parseObject = (text: string): object | undefined => {
  if (!text.trimStart().startsWith("{")) return undefined
  const parsed = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(parsed) && Predicate.isObject(parsed.success) ? parsed.success : undefined
}

/**
 * Reads an error from a sentence or from the `message` of an object. Either may be JSON text, because Ollama passes on
 * errors of its runner in this form.
 */
export const readErrorValue = (value: unknown, levels = 8): ErrorValue => {
  const object = typeof value === "string" ? parseObject(value) : value
  if (!Predicate.isObject(object)) {
    const text = typeof value === "string" ? value : value === undefined ? "" : jsonOf(value)
    const overflow = readServerOverflow(text)
    return { detail: asDetail(text), ...(overflow === undefined ? {} : { overflow }) }
  }
  if ("error" in object && levels > 0) return readErrorValue(object.error, levels - 1)
  if ("message" in object && levels > 0 && typeof object.message === "string") {
    const inner = parseObject(object.message)
    if (inner !== undefined) return readErrorValue(inner, levels - 1)
  }
  const words = wordsOf(object)
  const overflow = overflowOf(object, words)
  return { detail: asDetail(words), ...(overflow === undefined ? {} : { overflow }) }
}

/** The failure that the server reported in an answer. */
export const reportedError = (value: unknown): ServerError => {
  const unnamed = "the server ended its answer with an error and gave no reason"
  const { detail, overflow } = readErrorValue(value)
  const failure: ServerFailure =
    overflow === undefined
      ? { _tag: "ErrorLine", detail: detail || unnamed }
      : { _tag: "PromptTooLong", detail, ...overflow }
  return new ServerError({ failure })
}

/** The status for a rate limit. It never means a prompt that is too long, whatever the message says. */
const tooManyRequests = 429

/**
 * Parses a line or a document with one JSON object; throws a `ServerError` for other text. If `isWhole` is false, the
 * error says that the answer ended too early.
 */
export const readObject = (text: string, isWhole = true): object => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed) || !Predicate.isObject(parsed.success)) {
    throw isWhole ? badLine(text) : brokenOff("the answer ended in the middle of a line")
  }
  if ("error" in parsed.success) throw reportedError(parsed.success["error"])
  return parsed.success
}

/** The failure for a status other than 200. */
export const readBadStatus = (answer: {
  readonly status: number
  readonly statusText: string
  readonly body: string
}): ServerError => {
  const { body, status, statusText } = answer
  const object = parseObject(body)
  const json = object !== undefined && ("error" in object || ("object" in object && object.object === "error"))
  const { detail, overflow } = readErrorValue(json ? object : body)
  if (overflow !== undefined && status !== tooManyRequests) {
    return new ServerError({ failure: { _tag: "PromptTooLong", detail: `HTTP ${status}: ${detail}`, ...overflow } })
  }
  return new ServerError({ failure: { _tag: "BadStatus", status, json, detail: detail || statusText } })
}
