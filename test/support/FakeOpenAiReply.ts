/**
 * What the stand-in for servers of OpenAI's API answers, and the bytes this becomes: the events that llama.cpp's server
 * writes, with what other servers do in another way as options.
 */
import { words, type Write, writesIn } from "./FakeOllamaReply.ts"

/** One answer. All parts are optional. */
export interface OpenAiReply {
  readonly thinking?: string
  /** The name of thoughts: `reasoning_content` when absent. */
  readonly thinkingKey?: "reasoning" | "reasoning_content"
  readonly text?: string
  /** Calls; the arguments are cut into pieces of `argumentBytes`, all in one when absent. */
  readonly toolCalls?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly arguments: string }>
  readonly argumentBytes?: number
  /** False leaves the index of calls out. */
  readonly indexed?: boolean
  /** `stop`, or `tool_calls` with calls, when absent; null never says why the answer ended. */
  readonly finish?: string | null
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly answerTokens?: number
  /** False leaves the counts out. */
  readonly stats?: boolean
  /** False leaves `[DONE]` out. */
  readonly done?: boolean
  /** An event with this error instead of the end of the answer. */
  readonly errorEvent?: unknown
  /** Written before the first event, such as a comment that keeps the connection alive. */
  readonly before?: string
  readonly lineEnd?: "\n" | "\r\n"
  readonly chunkBytes?: number
  /** Writes these chunks instead of anything above. */
  readonly chunks?: ReadonlyArray<string | Uint8Array>

  /** Refuses with this status, and an error in the form of OpenAI or `body` as it is. */
  readonly status?: number
  readonly error?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly hold?: string
  /** Waits for `release` of `latch` after that many events. */
  readonly holdAfter?: { readonly events: number; readonly latch: string }
  readonly cutAfter?: number
  readonly end?: boolean
}

const chunkOf = (model: string, choices: ReadonlyArray<unknown>, rest = {}): string =>
  JSON.stringify({
    choices,
    created: 1_763_600_000,
    id: "chatcmpl-1",
    model,
    system_fingerprint: "b9999",
    object: "chat.completion.chunk",
    ...rest
  })

const choice = (delta: object, finish: string | null = null) => ({ finish_reason: finish, index: 0, delta })

const cut = (text: string, size: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(1, Math.ceil(text.length / size)) }, (_, at) => text.slice(at * size, (at + 1) * size))

const callDeltas = (reply: OpenAiReply): ReadonlyArray<object> =>
  (reply.toolCalls ?? []).flatMap(({ arguments: given, id, name }, at) => {
    const index = reply.indexed === false ? undefined : at
    return cut(given, reply.argumentBytes ?? Infinity).map((piece, position) => ({
      tool_calls: [
        position === 0
          ? { index, id, type: "function", function: { name, arguments: piece } }
          : { index, function: { arguments: piece } }
      ]
    }))
  })

const usageOf = (reply: OpenAiReply, events: number) => ({
  completion_tokens: reply.answerTokens ?? events,
  prompt_tokens: reply.promptTokens ?? 26,
  total_tokens: (reply.answerTokens ?? events) + (reply.promptTokens ?? 26),
  ...(reply.cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: reply.cachedTokens } })
})

/** The events of a reply, without what is around them. */
const eventsOf = (model: string, reply: OpenAiReply): ReadonlyArray<string> => {
  const deltas = [
    { role: "assistant", content: null },
    ...words(reply.thinking ?? "").map((piece) => ({ [reply.thinkingKey ?? "reasoning_content"]: piece })),
    ...words(reply.text ?? "").map((piece) => ({ content: piece })),
    ...callDeltas(reply)
  ].map((delta) => chunkOf(model, [choice(delta)]))
  if (reply.errorEvent !== undefined) return [...deltas, JSON.stringify({ error: reply.errorEvent })]
  const finish = reply.finish === undefined ? (reply.toolCalls === undefined ? "stop" : "tool_calls") : reply.finish
  return [
    ...deltas,
    ...(finish === null ? [] : [chunkOf(model, [choice({}, finish)])]),
    ...(reply.stats === false ? [] : [chunkOf(model, [], { usage: usageOf(reply, deltas.length - 1) })]),
    ...(reply.done === false ? [] : ["[DONE]"])
  ]
}

/** What is written to the socket, in order, before the answer ends or is cut. */
export const openAiWrites = (model: string, reply: OpenAiReply): ReadonlyArray<Write> => {
  if (reply.chunks !== undefined) return reply.chunks.map((chunk) => ({ bytes: Buffer.from(chunk) }))
  const end = reply.lineEnd ?? "\n"
  const events = eventsOf(model, reply).map((event) => Buffer.from(`data: ${event}${end}${end}`))
  const before = reply.before === undefined ? [] : [Buffer.from(reply.before)]
  const { chunkBytes, holdAfter } = reply
  const held = holdAfter && { count: before.length + holdAfter.events, latch: holdAfter.latch }
  return writesIn([...before, ...events], chunkBytes, held)
}
