/**
 * The language model of a server with OpenAI's API (`/chat/completions`), whatever the differences between such
 * servers.
 */
import * as Predicate from "effect/Predicate"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import {
  authorization,
  badShape,
  closedJsonSchema,
  finishPart,
  layerStreamed,
  makeBlocks,
  type ModelOptions,
  openAnswer,
  type PartReader,
  type Parts,
  type PromptOptions,
  type Sampling,
  sentId,
  sentMessages,
  sentTools,
  ServerError,
  textOf,
  type Think,
  toolResultText
} from "../../plugin-kit.ts"
import { nameOnServer, spoken } from "./OpenAiAddress.ts"
import { CallPiece, makeCallReader, OldCall } from "./OpenAiCalls.ts"
import { objectsOf } from "./OpenAiEvents.ts"

/** An answer of the model as a message. The API has no field for thoughts, so they are left out. */
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
  /* If the message has calls, empty content is left out, because llama-cpp-python rejects null. */
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

/** The tools, and whether the model must call one. The choice "auto" is left out, because servers use it by default. */
const toolsOf = ({ toolChoice, tools }: PromptOptions) => {
  if (tools.length === 0 || toolChoice === "none") return {}
  const some = typeof toolChoice === "object" && "oneOf" in toolChoice ? new Set<string>(toolChoice.oneOf) : undefined
  const chosen = some === undefined ? tools : tools.filter(({ name }) => some.has(name))
  const forcedTool = typeof toolChoice === "object" && "tool" in toolChoice ? toolChoice.tool : undefined
  const isRequired =
    (typeof toolChoice === "object" && "mode" in toolChoice ? toolChoice.mode : toolChoice) === "required"
  const choice =
    forcedTool === undefined
      ? isRequired
        ? "required"
        : undefined
      : { type: "function", function: { name: forcedTool } }
  return {
    tools: sentTools(chosen),
    ...(choice === undefined ? {} : { tool_choice: choice })
  }
}

/** True for a schema that allows any object. */
const isAnyObject = (schema: JsonSchema.JsonSchema): boolean =>
  ["properties", "anyOf", "oneOf", "allOf", "$ref", "items", "enum"].every((name) => !(name in schema))

const formatOf = (name: string, given: Schema.Constraint) =>
  Effect.map(closedJsonSchema(given), (schema) =>
    isAnyObject(schema) ? { type: "json_object" } : { type: "json_schema", json_schema: { name, strict: true, schema } }
  )

/** The response format for a JSON schema. */
const boundFormat = (schema: object): object => ({
  type: "json_schema",
  json_schema: { name: "answer", strict: true, schema }
})

/** The part of the request that the prompt determines. `tools` and the response format are present only if needed. */
const readProviderOptions = Effect.fnUntraced(function* (options: PromptOptions) {
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
/** A number in the statistics. It is not checked, because an invalid number must not lose the answer. */
const count = Schema.optionalKey(Schema.Unknown)

/** Text, or a list of parts. Some servers send thoughts as a part. */
const Content = Schema.optionalKey(Schema.Unknown)

/** A streamed part of an answer, or a whole `message` from some servers. The field for thoughts has two names. */
const Delta = Schema.Struct({
  content: Content,
  reasoning_content: text,
  reasoning: text,
  tool_calls: maybe(Schema.Array(CallPiece)),
  function_call: maybe(OldCall)
})
type Delta = typeof Delta.Type

const Usage = Schema.Struct({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: count })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: count }))
})
type Usage = typeof Usage.Type

/** Durations from llama.cpp in an answer's last object. */
const Timings = Schema.Struct({ predicted_ms: count })

const Chunk = Schema.Struct({
  timings: maybe(Timings),
  choices: maybe(Schema.Array(Schema.Struct({ delta: maybe(Delta), message: maybe(Delta), finish_reason: text }))),
  usage: maybe(Usage)
})

const decodeChunk = Schema.decodeUnknownResult(Chunk)

interface ContentTexts {
  readonly text: string
  readonly thoughts: string
}

const join = (texts: ReadonlyArray<unknown>): string => texts.filter(Predicate.isString).join("")

/** The text and the thoughts in the parts of a message. */
const textsOf = (content: unknown): ContentTexts => {
  if (typeof content === "string") return { text: content, thoughts: "" }
  if (!Array.isArray(content)) return { text: "", thoughts: "" }
  const parts = content.filter(Predicate.isObject) as ReadonlyArray<Readonly<Record<string, unknown>>>
  return {
    text: join(parts.map((part) => (part["type"] === "thinking" ? "" : part["text"]))),
    thoughts: join(parts.map((part) => (part["type"] === "thinking" ? textsOf(part["thinking"]).text : "")))
  }
}

/** A reader for one answer. `read` takes the objects of the answer in order, and `end` returns the remaining parts. */
const makePartReader = (): PartReader => {
  let reason: string | undefined
  let usage: Usage | undefined
  let answerMs: unknown
  let received = ""
  const calls = makeCallReader()

  const { close, write } = makeBlocks()
  const writeText = (text: string): Parts => {
    received += text
    return write("text", text)
  }
  /** The part of a whole message that was not streamed before. */
  const restOf = (text: string): string =>
    received !== "" && text.startsWith(received) ? text.slice(received.length) : text

  const read = (line: unknown): Parts => {
    const decoded = decodeChunk(line)
    if (Result.isFailure(decoded)) throw badShape(line)
    const chunk = decoded.success
    usage = chunk.usage ?? usage
    answerMs = chunk.timings?.predicted_ms ?? answerMs
    const choice = chunk.choices?.[0]
    const { delta, message } = choice ?? {}
    const isWhole = delta == null || Object.keys(delta).length === 0
    const piece: Delta = (isWhole ? message : delta) ?? {}
    const newCalls = (piece.tool_calls ?? []).flatMap(calls.take)
    const old = piece.function_call == null ? [] : calls.take({ function: piece.function_call })
    reason = choice?.finish_reason ?? reason
    const { text, thoughts } = textsOf(piece.content)
    return [
      ...write("reasoning", piece.reasoning_content ?? piece.reasoning ?? thoughts),
      ...writeText(isWhole ? restOf(text) : text),
      ...newCalls,
      ...old
    ]
  }
  const end = (): Parts => [
    ...close(),
    ...calls.parts(),
    {
      ...finishPart(reason, calls.hasCalls(), {
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

/** True if a 404 means a missing model, and not a wrong path, such as one without `/v1`. */
const isAboutModel = (detail: string, model: string): boolean => detail.includes(model) || /\bmodel\b/i.test(detail)

/**
 * If the server refused the request because it lacks the model, marks this in the error. Other errors stay unchanged.
 */
const readRefusal = (error: ServerError, model: string): ServerError => {
  const { failure } = error
  if (failure._tag !== "BadStatus") return error
  const { detail, json, status } = failure
  /*
   * Most servers answer 404 for a missing model. Some proxies, such as litellm and a llama-server with several models,
   * answer 400.
   */
  const isMissing =
    status === 400 && detail.includes(model) && /not found|does not exist|invalid model|not a valid model/i.test(detail)
  if (isMissing) return new ServerError({ failure: { ...failure, isMissing } })
  return status === 404
    ? new ServerError({ failure: { ...failure, json: json && isAboutModel(detail, model) } })
    : error
}

/** The sampling parameters. Only local servers accept the last three parameters. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  seed: sampling.seed,
  top_k: sampling.topK,
  min_p: sampling.minP,
  repeat_penalty: sampling.repeatPenalty
})

/** The level of thinking. The API has only levels, so `true` and `false` become levels, too. */
const effortOf = (think: Think): string => (think === true ? "medium" : think === false ? "none" : think)

export const layerOpenAi = (options: ModelOptions) => {
  const url = `${options.host}/chat/completions`
  let requests = 0
  return layerStreamed(
    {
      spoken,
      url,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      refine: (error, model) => readRefusal(error, nameOnServer(model)),
      requestOf: (question, { bound: { format, grammar } = {}, maxTokens, model, sampling, think }) => ({
        model: nameOnServer(model),
        response_format: format === undefined ? undefined : boundFormat(format),
        ...question,
        grammar,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: maxTokens,
        ...sampledWith(sampling),
        reasoning_effort: think === undefined ? undefined : effortOf(think)
      }),
      async open(request, exchange) {
        const headers = { accept: "text/event-stream", ...authorization(options) }
        requests += 1
        const number = requests
        return objectsOf(await openAnswer(exchange, url, request, headers), () => requests > number)
      }
    },
    options
  )
}
