/**
 * The language model of an OpenAI-compatible server: `/chat/completions`, whose answers are server-sent events with a JSON
 * object each, the last of them `[DONE]`, and whose errors each server words in its own way.
 */
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"
import {
  endedForAnother,
  type ErrorValue,
  readErrorValue,
  readOverflowText,
  reportedError,
  ServerError,
  badLine,
  brokenOff
} from "../ServerFailure.ts"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import { nameOnServer, type ModelOptions } from "../Provider.ts"
import { authorization, drain, linesOf, maxBytes, openAnswer } from "../ServerTransport.ts"
import { layerStreamed } from "../StreamedModel.ts"
import { spoken } from "./OpenAiAddress.ts"
import { makePartReader, boundFormat, readProviderOptions } from "./OpenAiFormat.ts"

const tooLong = (overflow: NonNullable<ErrorValue["overflow"]>): ServerError =>
  new ServerError({ failure: { _tag: "PromptTooLong", ...overflow } })

/** The failure in an event of a stream; nothing for an ordinary one. */
const readErrorEvent = (event: object): ServerError | undefined => {
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
const readRefusal = (error: ServerError, model: string): ServerError => {
  const { failure } = error
  if (failure._tag !== "BadStatus") return error
  const { detail, json, status } = failure
  const overflow = status === 429 ? undefined : readOverflowText(detail)
  if (overflow !== undefined) return tooLong(overflow)
  /* llama-server with several models, litellm and other proxies say with 400 what others say with 404. */
  const isMissing =
    status === 400 && detail.includes(model) && /not found|does not exist|invalid model|not a valid model/i.test(detail)
  if (isMissing) return new ServerError({ failure: { ...failure, isMissing } })
  return status === 404
    ? new ServerError({ failure: { ...failure, json: json && isAboutModel(detail, model) } })
    : error
}

/** Parameters of sampling by their names in a request; the last three are extensions of local servers. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  seed: sampling.seed,
  top_k: sampling.topK,
  min_p: sampling.minP,
  repeat_penalty: sampling.repeatPenalty
})

/** The API knows levels only. */
const effortOf = (think: Think): string => (think === true ? "medium" : think === false ? "none" : think)

/** The object of an event; undefined for text that is none. */
const objectOf = ({ data, event }: Sse.Event): object | undefined => {
  const value = Option.getOrUndefined(parse(data))
  if (!Predicate.isObject(value)) return undefined
  const failure = readErrorEvent(event === "error" ? { error: value } : value)
  if (failure !== undefined) throw failure
  return value
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** True for a chunk that says why the answer ended; some servers send no `[DONE]` after it. */
const saysWhyItEnded = (value: object): boolean =>
  Predicate.hasProperty(value, "choices") &&
  Array.isArray(value.choices) &&
  value.choices.some((choice) => Predicate.hasProperty(choice, "finish_reason") && choice.finish_reason != null)

/** What a body ends with for the reader of its events, which may wait for the end of one. */
const endOfBody = [{ text: "\n" }]

/**
 * The objects of an answer as they come. It has ended when the reason for its end was given, and then `[DONE]` or the end of the
 * body came.
 */
export async function* objectsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<object, void> {
  const events: Array<Sse.Event> = []
  const parser = Sse.makeParser(
    (event) => {
      if (event._tag === "Event") events.push(event)
    },
    { maxEventSize: maxBytes }
  )
  const unfinished = brokenOff("the answer ended without its last event")
  const body = linesOf(pieces)
  let hasFinished = false
  for (;;) {
    const { done, value: lines = endOfBody } = await body.next()
    for (const { text } of lines) {
      // A server that is no server of this API answers with a page or with lines of JSON.
      if (/^[<{]/.test(text)) throw badLine(text)
      // Older servers report an error in a field of its own.
      if (parser.feed(`${text.replace(/^error:/, "event: error\ndata:")}\n`) !== undefined) {
        throw new ServerError({ failure: { _tag: "TooLarge", limit: maxBytes } })
      }
      for (const event of events.splice(0)) {
        if (event.data.trim() === "") continue
        if (event.data.trim() === "[DONE]") {
          await drain(body)
          if (!hasFinished) throw reportedError(endedForAnother)
          return
        }
        const value = objectOf(event)
        if (value === undefined) throw done ? unfinished : badLine(event.data.trim())
        hasFinished ||= saysWhyItEnded(value)
        yield value
      }
    }
    if (!done) continue
    if (!hasFinished) throw unfinished
    return
  }
}

export const layerOpenAi = (options: ModelOptions) => {
  const url = `${options.host}/chat/completions`
  return layerStreamed(
    {
      spoken,
      url,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      refine: (error, model) => readRefusal(error, nameOnServer("openai", model)),
      async open(question, { format, grammar, maxTokens, model, sampling, think }, exchange) {
        const request = {
          model: nameOnServer("openai", model),
          response_format: format === undefined ? undefined : boundFormat(format),
          ...question,
          grammar,
          stream: true,
          stream_options: { include_usage: true },
          max_tokens: maxTokens,
          ...sampledWith(sampling),
          reasoning_effort: think === undefined ? undefined : effortOf(think)
        }
        const headers = { accept: "text/event-stream", ...authorization(options) }
        return objectsOf(await openAnswer(exchange, url, request, headers))
      }
    },
    options
  )
}
