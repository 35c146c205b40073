/**
 * The language model of an Ollama server: `/api/chat` through the ollama package. Each request has its own client,
 * because the package stops all requests of a client together. This code checks each line first, because the package
 * skips unreadable lines.
 */
import * as Effect from "effect/Effect"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type ChatRequest, Ollama } from "ollama/browser"
import { closedJsonSchema, sentId, sentMessages, sentTools, textOf, toolResultText } from "../PromptText.ts"
import {
  type PromptOptions,
  countOf,
  finishPart,
  idOrNew,
  makeBlocks,
  paramsOf,
  type PartReader,
  type Parts,
  layerStreamed,
  type Sent
} from "../StreamedModel.ts"
import { badShape, brokenOff, readObject } from "../ServerFailure.ts"
import { defaultKeepAlive } from "../../../domain/models/ModelLoad.ts"
import type { Sampling } from "../../../domain/models/Generation.ts"
import { authorization, drain, linesOf, makeFetch } from "../ServerTransport.ts"
import type { ModelOptions } from "../Provider.ts"
import { spoken } from "./OllamaHost.ts"

/** Ollama accepts only objects as arguments. Other arguments, such as invalid JSON, become a property of an object. */
const sentArguments = (params: unknown): Record<string, unknown> =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? { ...params } : { value: params }

const assistantMessage = (message: Prompt.AssistantMessage) => {
  const thinking = message.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: sentId(part.id), function: { name: part.name, arguments: sentArguments(part.params) } }]
      : []
  )
  return {
    role: "assistant",
    content: textOf(message.content, ""),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const toolMessage = (part: Prompt.ToolResultPart) => ({
  role: "tool",
  content: toolResultText(part),
  tool_name: part.name,
  tool_call_id: sentId(part.id)
})

const seenMessage = (content: string, pictures: ReadonlyArray<{ readonly data: string }>) => ({
  role: "user",
  content,
  images: pictures.map(({ data }) => data)
})

/**
 * The parts of a request that depend on the prompt. `tools` and `format` are present only if needed. No option forces
 * the model to call a tool.
 */
const readProviderOptions = Effect.fnUntraced(function* ({ prompt, responseFormat: wanted, tools }: PromptOptions) {
  const format = wanted.type === "text" ? undefined : yield* closedJsonSchema(wanted.schema)
  return {
    messages: sentMessages(prompt, assistantMessage, toolMessage, seenMessage),
    ...(tools.length === 0 ? {} : { tools: sentTools(tools) }),
    ...(format === undefined ? {} : { format })
  }
})

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

const ReceivedFunction = Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) })

/**
 * A tool call. Servers that imitate Ollama may omit the `function` around `name` and `arguments`. A call without a name
 * is rejected only later, so that the rest of the answer is not lost.
 */
const ReceivedToolCall = Schema.Struct({
  id: Schema.optionalKey(Schema.Unknown),
  function: Schema.optionalKey(Schema.NullOr(ReceivedFunction)),
  ...ReceivedFunction.fields
})
type ReceivedToolCall = typeof ReceivedToolCall.Type

/** One line of an answer. */
const Chunk = Schema.Struct({
  message: Schema.optionalKey(
    Schema.Struct({
      content: text,
      thinking: text,
      tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(ReceivedToolCall)))
    })
  ),
  done: Schema.optionalKey(Schema.Boolean),
  done_reason: text
})

/** The other fields of a line. They are not checked, so that an invalid statistic does not lose an answer. */
type Statistics = Readonly<Record<string, unknown>>

const decodeChunk = Schema.decodeUnknownResult(Chunk)

/** Durations in ms, as `metadata.ollama` of the finish part. Absent if not reported. */
const durationsOf = (line: Statistics): Record<string, number> => {
  const {
    eval_duration: answerMs,
    load_duration: loadMs,
    prompt_eval_duration: promptMs,
    total_duration: totalMs
  } = line
  return Object.fromEntries(
    Object.entries({ totalMs, loadMs, promptMs, answerMs }).flatMap(([key, given]) => {
      const nanos = countOf(given)
      return nanos === undefined ? [] : [[key, nanos / 1_000_000]]
    })
  )
}

/** True if the server dropped the beginning of the prompt to make space. */
const isShifted = (
  { eval_count: answer, prompt_eval_count: prompt }: Statistics,
  { contextWindow, refusesLong }: Pick<Sent, "contextWindow" | "refusesLong">
): boolean => {
  const counted = countOf(prompt) ?? 0
  return refusesLong === true && counted <= contextWindow && counted + (countOf(answer) ?? 0) > contextWindow
}

const finishOf = (
  reason: string | null | undefined,
  line: Statistics,
  called: boolean,
  sent: Parameters<typeof isShifted>[1]
) => {
  const { eval_count: answer, prompt_eval_cached_count: cached, prompt_eval_count: prompt } = line
  return {
    ...finishPart(isShifted(line, sent) ? "length" : reason, called, { prompt, cached, answer }),
    metadata: { ollama: { ...(reason == null ? {} : { doneReason: reason }), ...durationsOf(line) } }
  }
}

/** Reads the lines of one answer in order. A call without an id gets a new id. */
const makePartReader = (sent: Parameters<typeof isShifted>[1]): PartReader => {
  let called = false
  const ids = new Set<string>()
  const { close, write } = makeBlocks()
  const partOf = (call: ReceivedToolCall) => {
    const { arguments: values, name } = call.function ?? call
    const id = call.id == null ? undefined : String(call.id)
    const own = idOrNew(id === undefined || ids.has(id) ? undefined : id)
    ids.add(own)
    return { type: "tool-call" as const, id: own, name: name ?? "", params: paramsOf(values) }
  }

  const read = (line: unknown): Parts => {
    const decoded = decodeChunk(line)
    if (Result.isFailure(decoded)) throw badShape(line)
    const { done, done_reason: reason, message = {} } = decoded.success
    const { content, thinking, tool_calls } = message
    const written = [...write("reasoning", thinking), ...write("text", content)]
    const calls = (tool_calls ?? []).map(partOf)
    if (calls.length > 0) written.push(...close(), ...calls)
    called ||= calls.length > 0
    return done === true ? [...written, ...close(), finishOf(reason, line as Statistics, called, sent)] : written
  }
  return { read, end: () => [] }
}

/** The sampling parameters under their names in requests. The Modelfile decides absent parameters. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  top_k: sampling.topK,
  min_p: sampling.minP,
  seed: sampling.seed,
  repeat_penalty: sampling.repeatPenalty
})

/** Passes on the lines of an answer, up to the line that is marked as the last. Each line is one JSON object. */
export async function* checkedLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const body = linesOf(pieces)
  /** A server may answer with a single object over several lines instead of a stream. */
  const wide: Array<string> = []
  for await (const lines of body) {
    let checked = ""
    try {
      for (const { isWhole, text } of lines) {
        if (text === "") continue
        if (wide.length > 0 || text === "{") {
          wide.push(text)
          continue
        }
        const value = readObject(text, isWhole)
        checked += `${text}\n`
        if (!("done" in value && value.done === true)) continue
        await drain(body)
        // The package reads nothing after the last line.
        break
      }
    } finally {
      // If a line is invalid, passes on the lines above it before the error.
      if (checked !== "") yield Buffer.from(checked)
    }
  }
  if (wide.length > 0) {
    const text = wide.join(" ")
    readObject(text, false)
    yield Buffer.from(`${text}\n`)
  }
  throw brokenOff("the answer ended without its last line")
}

/**
 * The model of an Ollama server as a service. The finish part carries `metadata.ollama`: `doneReason` and `totalMs`,
 * `loadMs`, `promptMs`, `answerMs`.
 */
export const layerOllama = (options: ModelOptions) =>
  layerStreamed(
    {
      spoken,
      url: `${options.host}/api/chat`,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      requestOf: (question, { bound, contextWindow, maxTokens, model, refusesLong, sampling, think }) => ({
        model,
        format: bound?.format,
        ...question,
        stream: true as const,
        keep_alive: options.keepAlive ?? defaultKeepAlive,
        think,
        // Make the server fail instead of shortening the prompt. The types of the package lack these options.
        truncate: false,
        ...(refusesLong === true ? {} : { shift: false }),
        options: { num_ctx: contextWindow, num_predict: maxTokens, ...sampledWith(sampling) }
      }),
      open(request, exchange) {
        const fetch = makeFetch(exchange, checkedLines)
        const client = new Ollama({ host: options.host, fetch, headers: authorization(options) })
        return client.chat(request as unknown as ChatRequest & { readonly stream: true })
      }
    },
    options
  )
