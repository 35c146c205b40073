/**
 * The language model of an OpenAI-compatible server: `/chat/completions`, whose answers are server-sent events with a JSON
 * object each, the last of them `[DONE]`, and whose errors each server words in its own way.
 */
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import {
  endedForAnother,
  type ErrorValue,
  readErrorValue,
  readOverflowText,
  reportedError,
  ServerError,
  badLine,
  brokenOff,
  badShape
} from "../ServerFailure.ts"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import type { ModelOptions } from "../Provider.ts"
import { authorization, drain, linesOf, maxBytes, openAnswer } from "../ServerTransport.ts"
import {
  layerStreamed,
  type Asked,
  finishPart,
  idOrNew,
  makeBlocks,
  paramsOf,
  type PartReader,
  type Parts
} from "../StreamedModel.ts"
import { nameOnServer, spoken } from "./OpenAiAddress.ts"
import { closedJsonSchema, sentId, sentMessages, sentTools, textOf, toolResultText } from "../PromptText.ts"

/** Thoughts are left out: the API has no place for them. */
const assistantMessage = (message: Prompt.AssistantMessage) => {
  const text = textOf(message.content, "")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: sentId(part.id),
            type: "function",
            function: { name: part.name, arguments: JSON.stringify(part.params ?? {}) }
          }
        ]
      : []
  )
  /* Beside calls, content that is empty is left out: llama-cpp-python refuses null. */
  return calls.length === 0
    ? { role: "assistant", content: text }
    : { role: "assistant", ...(text === "" ? {} : { content: text }), tool_calls: calls }
}

const toolMessage = (part: Prompt.ToolResultPart) => ({
  role: "tool",
  content: toolResultText(part),
  tool_call_id: sentId(part.id)
})

const seenMessage = (text: string, pictures: ReadonlyArray<{ readonly mediaType: string; readonly data: string }>) => ({
  role: "user",
  content: [
    { type: "text", text },
    ...pictures.map(({ data, mediaType }) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,${data}` }
    }))
  ]
})

/** The tools that the model may call, and whether it must; "auto" is what a server does by itself. */
const toolsOf = ({ toolChoice, tools }: Asked) => {
  if (tools.length === 0 || toolChoice === "none") return {}
  const some = typeof toolChoice === "object" && "oneOf" in toolChoice ? new Set<string>(toolChoice.oneOf) : undefined
  const chosen = some === undefined ? tools : tools.filter(({ name }) => some.has(name))
  const named = typeof toolChoice === "object" && "tool" in toolChoice ? toolChoice.tool : undefined
  const isRequired =
    (typeof toolChoice === "object" && "mode" in toolChoice ? toolChoice.mode : toolChoice) === "required"
  const choice =
    named === undefined ? (isRequired ? "required" : undefined) : { type: "function", function: { name: named } }
  return {
    tools: sentTools(chosen),
    ...(choice === undefined ? {} : { tool_choice: choice })
  }
}

/** A schema that says nothing of what is in the object asks for any object. */
const isAnyObject = (schema: JsonSchema.JsonSchema): boolean =>
  ["properties", "anyOf", "oneOf", "allOf", "$ref", "items", "enum"].every((name) => !(name in schema))

const formatOf = (name: string, given: Schema.Constraint) =>
  Effect.map(closedJsonSchema(given), (schema) =>
    isAnyObject(schema) ? { type: "json_object" } : { type: "json_schema", json_schema: { name, strict: true, schema } }
  )

/** The format of an answer that has to fit a JSON schema. */
const boundFormat = (schema: object): object => ({
  type: "json_schema",
  json_schema: { name: "answer", strict: true, schema }
})

/** The part of the request that depends on what is asked; tools and format are there only when they are used. */
const readProviderOptions = Effect.fnUntraced(function* (options: Asked) {
  const { prompt, responseFormat: wanted } = options
  const format = wanted.type === "text" ? undefined : yield* formatOf(wanted.objectName, wanted.schema)
  return {
    messages: sentMessages(prompt, assistantMessage, toolMessage, seenMessage),
    ...toolsOf(options),
    ...(format === undefined ? {} : { response_format: format })
  }
})

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = maybe(Schema.String)
/** Not checked here, so that an invalid statistic does not lose an answer. */
const count = Schema.optionalKey(Schema.Unknown)

/** A piece of a call: the first has its name, the others more of its arguments. */
const CallPiece = Schema.Struct({
  index: Schema.optionalKey(Schema.Unknown),
  id: text,
  function: maybe(Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) }))
})
type CallPiece = typeof CallPiece.Type

/** What servers add to an answer; some send a whole `message` in a stream. Thoughts have one of two names. */
const Delta = Schema.Struct({
  content: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: maybe(Schema.Array(CallPiece))
})

const Usage = Schema.Struct({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: count })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: count }))
})
type Usage = typeof Usage.Type

/** What a server of llama.cpp adds to the last chunk. */
const Timings = Schema.Struct({ predicted_ms: count })

const Chunk = Schema.Struct({
  timings: maybe(Timings),
  choices: maybe(Schema.Array(Schema.Struct({ delta: maybe(Delta), message: maybe(Delta), finish_reason: text }))),
  usage: maybe(Usage)
})

const decodeChunk = Schema.decodeUnknownResult(Chunk)

/** A call whose pieces arrive. */
interface OpenCall {
  readonly index: unknown
  readonly id: string
  name: string
  given: string
}

/** Makes a reader for one answer: `read` takes each chunk in order, `end` gives what is known when the last has come. */
const makePartReader = (): PartReader => {
  let reason: string | undefined
  let usage: Usage | undefined
  let answerMs: unknown
  const calls: Array<OpenCall> = []

  const { close, write } = makeBlocks()
  /** The call that a piece belongs to: by its index, or the last one, unless the piece begins a call. */
  const callOf = (piece: CallPiece): OpenCall => {
    const index = piece.index ?? undefined
    const known =
      index === undefined
        ? piece.id == null || piece.id === calls.at(-1)?.id
          ? calls.at(-1)
          : undefined
        : calls.find((call) => call.index === index)
    if (known !== undefined) return known
    const call: OpenCall = { index, id: idOrNew(piece.id), name: "", given: "" }
    calls.push(call)
    return call
  }
  const takePiece = (piece: CallPiece): void => {
    const call = callOf(piece)
    const given = piece.function?.arguments
    call.name += piece.function?.name ?? ""
    call.given += typeof given === "string" ? given : given == null ? "" : JSON.stringify(given)
  }

  const read = (line: unknown): Parts => {
    const decoded = decodeChunk(line)
    if (Result.isFailure(decoded)) throw badShape(line)
    const chunk = decoded.success
    usage = chunk.usage ?? usage
    answerMs = chunk.timings?.predicted_ms ?? answerMs
    const choice = chunk.choices?.[0]
    const delta = choice?.delta ?? choice?.message
    for (const piece of delta?.tool_calls ?? []) takePiece(piece)
    reason = choice?.finish_reason ?? reason
    return [...write("reasoning", delta?.reasoning_content ?? delta?.reasoning), ...write("text", delta?.content)]
  }
  const end = (): Parts => [
    ...close(),
    ...calls.map(({ given, id, name }) => ({ type: "tool-call" as const, id, name, params: paramsOf(given) })),
    {
      ...finishPart(reason, calls.length > 0, {
        prompt: usage?.prompt_tokens,
        cached: usage?.prompt_tokens_details?.cached_tokens,
        answer: usage?.completion_tokens,
        thoughts: usage?.completion_tokens_details?.reasoning_tokens
      }),
      ...(typeof answerMs === "number" ? { metadata: { openai: { answerMs } } } : {})
    }
  ]
  return { read, end }
}

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
 * The objects of an answer as they come. It has ended with `[DONE]`, or with the end of the body after the reason for the end was
 * given. `[DONE]` without a reason is no end where another call was sent meanwhile (`isFollowed`).
 */
async function* objectsOf(pieces: AsyncIterable<Uint8Array>, isFollowed: () => boolean): AsyncGenerator<object, void> {
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
          if (!hasFinished && isFollowed()) throw reportedError(endedForAnother)
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
  let sent = 0
  return layerStreamed(
    {
      spoken,
      url,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      refine: (error, model) => readRefusal(error, nameOnServer(model)),
      async open(question, { format, grammar, maxTokens, model, sampling, think }, exchange) {
        const request = {
          model: nameOnServer(model),
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
        sent += 1
        const number = sent
        return objectsOf(await openAnswer(exchange, url, request, headers), () => sent > number)
      }
    },
    options
  )
}
