/**
 * The language model of an Ollama server: `/api/chat` through the ollama package. Each request has a client of its own,
 * since the package can only stop all requests of a client together, and its lines are checked before the package reads
 * them, since it skips those that it cannot read.
 */
import * as Effect from "effect/Effect"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Response from "effect/ai/Response"
import { type ChatRequest, Ollama } from "ollama/browser"
import { closedJsonSchema, sentMessages, sentTools, textOf, toolResultText } from "../PromptText.ts"
import { callParts, countOf, idOrNew, makeBlocks, paramsOf, type PartReader, type Parts } from "../AnswerParts.ts"
import { badShape, brokenOff, readObject, ServerError } from "../ServerFailure.ts"
import type { Sampling } from "../../../domain/models/Generation.ts"
import { authorization, drain, linesOf, makeFetch } from "../ServerTransport.ts"
import type { ModelOptions } from "../Provider.ts"
import { layerStreamed } from "../StreamedModel.ts"
import { spoken } from "./OllamaHost.ts"

/** A tool call as Ollama wants to see it again. */
interface SentToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: Record<string, unknown> }
}

/** One message. Its keys are the server's. */
export interface SentMessage {
  readonly role: Prompt.Message["role"]
  readonly content: string
  readonly thinking?: string
  readonly tool_calls?: Array<SentToolCall>
  readonly tool_name?: string
  readonly tool_call_id?: string
}

/** Parameters that are not an object, such as text that is not JSON, get a name, since Ollama accepts objects only. */
const sentArguments = (params: unknown): Record<string, unknown> =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? { ...params } : { value: params }

const assistantMessage = (message: Prompt.AssistantMessage): SentMessage => {
  const thinking = message.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, function: { name: part.name, arguments: sentArguments(part.params) } }]
      : []
  )
  return {
    role: "assistant",
    content: textOf(message.content, ""),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const toolMessage = (part: Prompt.ToolResultPart): SentMessage => ({
  role: "tool",
  content: toolResultText(part),
  tool_name: part.name,
  tool_call_id: part.id
})

/**
 * The part of the request that depends on what is asked; `tools` and `format` are there only when they are used. The server
 * cannot force a call.
 */
export const readProviderOptions = Effect.fnUntraced(function* ({
  prompt,
  responseFormat: wanted,
  tools
}: LanguageModel.ProviderOptions) {
  const format = wanted.type === "text" ? undefined : yield* closedJsonSchema(wanted.schema)
  return {
    messages: sentMessages(prompt, assistantMessage, toolMessage),
    ...(tools.length === 0 ? {} : { tools: sentTools(tools) }),
    ...(format === undefined ? {} : { format })
  }
})

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A call. A missing name is accepted here and rejected later, so that the rest of the answer is not lost. */
const ReceivedToolCall = Schema.Struct({
  id: text,
  function: Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) })
})

/** One line of an answer. Counts are not checked here, so that an invalid statistic does not lose an answer. */
const Chunk = Schema.Struct({
  message: Schema.optionalKey(
    Schema.Struct({
      content: text,
      thinking: text,
      tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(ReceivedToolCall)))
    })
  ),
  done: Schema.optionalKey(Schema.Boolean),
  done_reason: text,
  total_duration: Schema.optionalKey(Schema.Unknown),
  load_duration: Schema.optionalKey(Schema.Unknown),
  prompt_eval_count: Schema.optionalKey(Schema.Unknown),
  prompt_eval_cached_count: Schema.optionalKey(Schema.Unknown),
  prompt_eval_duration: Schema.optionalKey(Schema.Unknown),
  eval_count: Schema.optionalKey(Schema.Unknown),
  eval_duration: Schema.optionalKey(Schema.Unknown)
})
type Chunk = typeof Chunk.Type

const decodeChunk = Schema.decodeUnknownResult(Chunk)

const nanosPerMilli = 1_000_000

/** Durations in ms, as `metadata.ollama` of the finish part; what the server does not say is absent. */
const durationsOf = (chunk: Chunk): Record<string, number> => {
  const durations: Record<string, number> = {}
  const add = (key: string, given: unknown): void => {
    const nanos = countOf(given)
    if (nanos !== undefined) durations[key] = nanos / nanosPerMilli
  }
  add("totalMs", chunk.total_duration)
  add("loadMs", chunk.load_duration)
  add("promptMs", chunk.prompt_eval_duration)
  add("answerMs", chunk.eval_duration)
  return durations
}

const finishReason = (reason: string | null | undefined, called: boolean): Response.FinishReason => {
  switch (reason) {
    case "stop":
      return called ? "tool-calls" : "stop"
    case "length":
      return "length"
    case null:
    case undefined:
    case "":
      return "unknown"
    default:
      return "other"
  }
}

const finishOf = (chunk: Chunk, called: boolean): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finishReason(chunk.done_reason, called),
  usage: {
    inputTokens: {
      uncached: undefined,
      total: countOf(chunk.prompt_eval_count),
      // Part of the total; servers that do not say it may leave it out of the total.
      cacheRead: countOf(chunk.prompt_eval_cached_count),
      cacheWrite: undefined
    },
    outputTokens: { total: countOf(chunk.eval_count), text: undefined, reasoning: undefined }
  },
  metadata: {
    ollama: { ...(chunk.done_reason == null ? {} : { doneReason: chunk.done_reason }), ...durationsOf(chunk) }
  }
})

/**
 * Makes a reader for the lines of one answer, in order. Thinking and text become parts with their own start and end, in
 * the order in which they come; a call without an id is given one.
 */
export const makePartReader = (): PartReader => {
  let called = false
  const { close, write } = makeBlocks()

  const read = (line: unknown): Parts => {
    const decoded = decodeChunk(line)
    if (Result.isFailure(decoded)) throw badShape(line)
    const chunk = decoded.success
    const { content, thinking, tool_calls } = chunk.message ?? {}
    const written = [...write("reasoning", thinking), ...write("text", content)]
    const calls: Array<Response.StreamPartEncoded> = []
    for (const { function: asked, id } of tool_calls ?? []) {
      called = true
      calls.push(...close(), ...callParts(idOrNew(id), asked.name ?? "", paramsOf(asked.arguments)))
    }
    return [...written, ...calls, ...(chunk.done === true ? [...close(), finishOf(chunk, called)] : [])]
  }
  return { read, end: () => [] }
}

/** Parameters of sampling by their names in a request; absent ones are left to the Modelfile. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  top_k: sampling.topK,
  min_p: sampling.minP,
  seed: sampling.seed,
  repeat_penalty: sampling.repeatPenalty
})

/** The last line of a body, which may lack more than its end. */
const readRest = (text: string): object => {
  try {
    return readObject(text)
  } catch (cause) {
    const isCut = cause instanceof ServerError && cause.failure._tag === "BadLine"
    throw isCut ? brokenOff("the answer ended in the middle of a line") : cause
  }
}

/** Passes the lines of an answer on, a JSON object each, up to the one that says that it is the last. */
export async function* checkedLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const lines = linesOf(pieces)
  for await (const { isWhole, text } of lines) {
    if (text === "") continue
    const value = isWhole ? readObject(text) : readRest(text)
    if ("done" in value && value.done === true) await drain(lines)
    // The package asks for nothing after the last line.
    yield Buffer.from(`${text}\n`)
  }
  throw brokenOff("the answer ended without its last line")
}

/** The finish part carries `metadata.ollama`: `doneReason` and `totalMs`, `loadMs`, `promptMs`, `answerMs`. */
export const layerOllama = (options: ModelOptions) =>
  layerStreamed(
    {
      spoken,
      url: `${options.host}/api/chat`,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      async *open(question, { contextWindow, format, maxTokens, model, sampling, think }, exchange) {
        const fetch = makeFetch({ ...exchange, read: checkedLines })
        const client = new Ollama({ host: options.host, fetch, headers: authorization(options) })
        const request = {
          model,
          format,
          ...question,
          stream: true as const,
          keep_alive: options.keepAlive ?? "30m",
          think,
          // The server fails instead of cutting what does not fit. The package does not know these two.
          truncate: false,
          shift: false,
          options: { num_ctx: contextWindow, num_predict: maxTokens, ...sampledWith(sampling) }
        }
        yield* await client.chat(request as unknown as ChatRequest & { readonly stream: true })
      }
    },
    options
  )
