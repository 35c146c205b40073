/**
 * Reads the errors of OpenAI-compatible servers, each of which words them in its own way: what means that the
 * prompt is too long, and what means that there is no such model.
 */
import * as Predicate from "effect/Predicate"
import { type ErrorValue, readErrorValue, reportedError, ServerError } from "../ServerFailure.ts"

/** What servers write when a prompt is too long; the first number is the window. */
const windowTexts = [
  /maximum context length is (\d+) tokens/i,
  /context (?:length|window|size) (?:of|is) (?:only )?(\d+)/i,
  /max_model_len\D{0,20}(\d+)/i
]

/** The size of the prompt beside it. */
const promptTexts = [
  /\((\d+) in the messages/i,
  /resulted in (\d+) tokens/i,
  /(?:has|contains?|at least) (\d+) input tokens/i,
  /keep the first (\d+) tokens/i,
  /requested (\d+) tokens/i,
  /length of (\d+)/i
]

const firstNumber = (text: string, patterns: ReadonlyArray<RegExp>): number | undefined => {
  for (const pattern of patterns) {
    const number = pattern.exec(text)?.[1]
    if (number !== undefined) return Number(number)
  }
  return undefined
}

/** Both sizes, when a text gives them. */
const readOverflowText = (text: string): ErrorValue["overflow"] => {
  const window = firstNumber(text, windowTexts)
  const promptTokens = firstNumber(text, promptTexts)
  return window === undefined || promptTokens === undefined ? undefined : { promptTokens, window }
}

const tooLong = (overflow: NonNullable<ErrorValue["overflow"]>): ServerError =>
  new ServerError({ failure: { _tag: "PromptTooLong", ...overflow } })

/** The failure in an event of a stream; nothing for an ordinary one. */
export const readErrorEvent = (event: object): ServerError | undefined => {
  const isError = Predicate.hasProperty(event, "error") && event.error !== null
  // vLLM once sent the error itself.
  if (!isError && !(Predicate.hasProperty(event, "object") && event.object === "error")) return undefined
  const { detail, overflow = readOverflowText(detail) } = readErrorValue(event)
  if (overflow !== undefined) return tooLong(overflow)
  return reportedError(detail)
}

/** Says of a path that is not there, as of `/v1` that was forgotten, and not of a model. */
const isAboutModel = (detail: string, model: string): boolean => detail.includes(model) || /\bmodel\b/i.test(detail)

/** A refused request as what it means for the model that was asked. */
export const readRefusal = (error: ServerError, model: string): ServerError => {
  const { failure } = error
  if (failure._tag !== "BadStatus") return error
  const { detail, json, status } = failure
  const overflow = status === 400 || status === 413 ? readOverflowText(detail) : undefined
  if (overflow !== undefined) return tooLong(overflow)
  /* llama-server with several models says with 400 what others say with 404. */
  const isMissing = status === 400 && detail.includes(model) && /not found/i.test(detail)
  if (isMissing) return new ServerError({ failure: { ...failure, status: 404, json: true } })
  return status === 404
    ? new ServerError({ failure: { ...failure, json: json && isAboutModel(detail, model) } })
    : error
}
