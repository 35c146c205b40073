/**
 * The ways in which a request to a model server fails, as facts that do not depend on its API, and how the errors that
 * servers report are read.
 */
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
  /** No response came back: nothing listens, the name is unknown, the connection broke before the first byte. */
  | { readonly _tag: "NoResponse"; readonly detail: string; readonly hint?: string }
  /** A status other than 200. `json` says whether it was an error object of the API; `isMissing`, that it means the model. */
  | {
      readonly _tag: "BadStatus"
      readonly status: number
      readonly json: boolean
      readonly detail: string
      readonly isMissing?: boolean
    }
  /** A secure connection cannot be made, or is the only one that the server takes. */
  | { readonly _tag: "NotSecure"; readonly fault: SecureFault }
  /** The prompt is longer than the context window. */
  | ({ readonly _tag: "PromptTooLong"; readonly detail: string } & ServerOverflow)
  /** The server reported an error in the middle of an answer. */
  | { readonly _tag: "ErrorLine"; readonly detail: string }
  /** The answer holds data that the API does not know; `excerpt` is its beginning. */
  | { readonly _tag: "BadLine"; readonly excerpt: string }
  /** One line or document is larger than `limit` bytes. */
  | { readonly _tag: "TooLarge"; readonly limit: number }
  /** The connection ended before the answer did. */
  | { readonly _tag: "BrokenOff"; readonly detail: string }
  /** A limit of time, by the phase of the call that it ended. */
  | { readonly _tag: "TimedOut"; readonly phase: keyof typeof notWithin; readonly seconds: number }

const notWithin = {
  connect: "no connection",
  firstWord: "no first token",
  nextWord: "no further token",
  call: "the answer was not complete"
}

/** Describes the failure without a full stop, since it becomes part of longer sentences; `api` is what is spoken. */
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

/** A request to a model server failed. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly failure: ServerFailure }> {
  override get message(): string {
    return describeFailure(this.failure, "the API")
  }
}

export const badLine = (text: string): ServerError =>
  new ServerError({ failure: { _tag: "BadLine", excerpt: text.slice(0, 80) } })

/** For data that was parsed and has another shape than the API says. */
export const badShape = (said: unknown): ServerError => badLine(jsonOf(said))

export const brokenOff = (detail: string): ServerError => new ServerError({ failure: { _tag: "BrokenOff", detail } })

/** llama-cpp-python ends an answer so when another call comes: both have to go one after another. */
export const endedForAnother = "the server ended the answer without a reason, as some do when another call comes"

/** Anything else than a `ServerError` means an answer that could not be read. */
export const asServerError = (cause: unknown): ServerError =>
  cause instanceof ServerError ? cause : badLine(cause instanceof Error ? cause.message : String(cause))

/** What stands under `error`, with the sizes when the prompt did not fit. */
export interface ErrorValue {
  readonly detail: string
  readonly overflow?: ServerOverflow
}

const asDetail = (text: string): string => text.trim().replace(/\.$/, "").slice(0, 500)

/** An error as text; nobody words one in more levels. */
const jsonOf = (value: unknown): string => JSON.stringify(withoutDeeper((value ?? null) as Schema.Json, 8))

/** The word of llama.cpp for a prompt that is too long, with both sizes in tokens. */
const isOverflow = Schema.is(
  Schema.Struct({
    type: Schema.Literal("exceed_context_size_error"),
    n_prompt_tokens: Schema.Int,
    n_ctx: Schema.Int
  })
)

/** What an error says of a prompt that is too long: by its text, its code or its type. */
const overflowOf = (error: object, detail: string): ServerOverflow | undefined => {
  if (isOverflow(error)) return { promptTokens: error.n_prompt_tokens, window: error.n_ctx }
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown }
  return readServerOverflow(detail) ?? readServerOverflow([code, type].filter(Predicate.isString).join(" "))
}

/** A finding of a check of the request, as FastAPI lists them: where, and what is wrong there. */
const RequestFault = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  msg: Schema.String
})
const isRequestFaults = Schema.is(Schema.NonEmptyArray(RequestFault))

/** The words for an error: what it holds under `message`, or under `detail` as FastAPI writes it. */
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
 * Reads a sentence, an object with a `message`, or either of them as JSON inside a string, the form in which Ollama
 * passes on the errors of its runner.
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

/** The failure that is reported in the middle of an answer. */
export const reportedError = (value: unknown): ServerError => {
  const unnamed = "the server ended its answer with an error and gave no reason"
  const { detail, overflow } = readErrorValue(value)
  const failure: ServerFailure =
    overflow === undefined
      ? { _tag: "ErrorLine", detail: detail || unnamed }
      : { _tag: "PromptTooLong", detail, ...overflow }
  return new ServerError({ failure })
}

/** A rate, which some servers word like a size. */
const tooManyRequests = 429

/**
 * Reads a line or a document, which holds one JSON object; throws a `ServerError` for anything else. A line that is not whole
 * may lack more than its end.
 */
export const readObject = (text: string, isWhole = true): object => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed) || !Predicate.isObject(parsed.success)) {
    throw isWhole ? badLine(text) : brokenOff("the answer ended in the middle of a line")
  }
  if ("error" in parsed.success) throw reportedError(parsed.success["error"])
  return parsed.success
}

/** The failure behind an answer that is not 200. */
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
