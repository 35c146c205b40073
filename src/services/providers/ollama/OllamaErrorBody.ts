/**
 * Reads the errors that Ollama reports: the value under `error`, and the body of a response whose status is not 200.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { withoutDeeper } from "../../../domain/text/Json.ts"
import { OllamaError } from "./OllamaErrors.ts"

const detailLength = 500

/** What stands under `error`, with the sizes when the prompt did not fit. */
export interface ErrorValue {
  readonly detail: string
  readonly overflow?: { readonly promptTokens: number; readonly window: number }
}

const asDetail = (text: string): string => text.trim().replace(/\.$/, "").slice(0, detailLength)

/** An error as text; nobody words one in more levels. */
const jsonOf = (value: unknown): string => JSON.stringify(withoutDeeper((value ?? null) as Schema.Json, 8))

const isCount = (value: unknown): value is number => Number.isSafeInteger(value)

/** The runner's own word for a prompt that is too long, with both sizes in tokens. */
const readOverflow = (value: object): ErrorValue["overflow"] =>
  Predicate.hasProperty(value, "type") &&
  value.type === "exceed_context_size_error" &&
  Predicate.hasProperty(value, "n_prompt_tokens") &&
  isCount(value.n_prompt_tokens) &&
  Predicate.hasProperty(value, "n_ctx") &&
  isCount(value.n_ctx)
    ? { promptTokens: value.n_prompt_tokens, window: value.n_ctx }
    : undefined

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
    return { detail: asDetail(typeof value === "string" ? value : value === undefined ? "" : jsonOf(value)) }
  }
  if ("error" in object && levels > 0) return readErrorValue(object.error, levels - 1)
  const overflow = readOverflow(object)
  const detail = asDetail("message" in object && typeof object.message === "string" ? object.message : jsonOf(object))
  return overflow === undefined ? { detail } : { detail, overflow }
}

/** The failure behind an answer that is not 200. `retryAfter` is the header of that name; only seconds are read. */
export const readBadStatus = (answer: {
  readonly status: number
  readonly statusText: string
  readonly retryAfter: string | undefined
  readonly body: string
}): OllamaError => {
  const object = parseObject(answer.body)
  const json = object !== undefined && "error" in object
  const { detail, overflow } = readErrorValue(json ? object : answer.body)
  if (overflow !== undefined) return new OllamaError({ reason: { _tag: "PromptTooLong", ...overflow } })
  const retryAfter =
    answer.retryAfter !== undefined && /^\d{1,6}$/.test(answer.retryAfter) ? Number(answer.retryAfter) : undefined
  return new OllamaError({
    reason: {
      _tag: "BadStatus",
      status: answer.status,
      json,
      detail: detail === "" ? answer.statusText : detail,
      ...(retryAfter === undefined ? {} : { retryAfter })
    }
  })
}
