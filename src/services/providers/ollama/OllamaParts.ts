/**
 * Turns the lines of a streamed answer into the parts of effect/ai, and parts of a stream into those of a whole answer.
 * Each answer has its own reader.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Response from "effect/ai/Response"
import { withoutDeeper } from "../../../domain/text/Json.ts"
import { callParts, type GrowingParts, idOrNew, makeBlocks, paramsOf, type PartReader } from "../AnswerBlocks.ts"
import { OllamaError } from "./OllamaErrors.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A call. A missing name is accepted here and rejected later, so that the rest of the answer is not lost. */
const ReceivedToolCall = Schema.Struct({
  id: text,
  function: Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) })
})

/** One line of an answer. Counts are not checked here, so that an invalid statistic does not lose an answer. */
const Chunk = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  created_at: Schema.optionalKey(Schema.String),
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

/** The beginning of what was received, for a message. */
export const beginningOf = (said: unknown): string =>
  JSON.stringify(withoutDeeper((said ?? null) as Schema.Json, 8)).slice(0, 80)

const decodeChunk = Schema.decodeUnknownResult(Chunk)

const isText = (value: unknown): boolean => value == null || typeof value === "string"
const isOptional = (value: unknown, type: "string" | "boolean"): boolean => value === undefined || typeof value === type

/** True for a line with a piece of text or of thoughts and nothing else: nearly all are, and need no schema. */
const isPiece = (line: unknown): line is Chunk => {
  if (!Predicate.isObject(line) || !Predicate.isObject(line["message"])) return false
  const { content, thinking, tool_calls } = line["message"]
  if (!isText(content) || !isText(thinking) || tool_calls !== undefined) return false
  const { created_at, done, done_reason, model } = line
  const hasNames = isOptional(model, "string") && isOptional(created_at, "string") && isOptional(done_reason, "string")
  return hasNames && isOptional(done, "boolean")
}

const readChunk = (line: unknown): Chunk => {
  if (isPiece(line)) return line
  const decoded = decodeChunk(line)
  if (Result.isSuccess(decoded)) return decoded.success
  throw new OllamaError({ reason: { _tag: "BadLine", excerpt: beginningOf(line) } })
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const nanosPerMilli = 1_000_000

/** Durations in ms, as `metadata.ollama` of the finish part; what the server does not say is absent. */
const durationsOf = (chunk: Chunk): Record<string, number> => {
  const durations: Record<string, number> = {}
  const add = (key: string, given: unknown): void => {
    const nanos = count(given)
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
      total: count(chunk.prompt_eval_count),
      // Part of the total; servers that do not say it may leave it out of the total.
      cacheRead: count(chunk.prompt_eval_cached_count),
      cacheWrite: undefined
    },
    outputTokens: { total: count(chunk.eval_count), text: undefined, reasoning: undefined }
  },
  metadata: {
    ollama: { ...(chunk.done_reason == null ? {} : { doneReason: chunk.done_reason }), ...durationsOf(chunk) }
  }
})

const metadataOf = (chunk: Chunk): Response.ResponseMetadataPartEncoded => {
  const at = chunk.created_at === undefined ? Number.NaN : Date.parse(chunk.created_at)
  return {
    type: "response-metadata",
    ...(chunk.model === undefined ? {} : { modelId: chunk.model }),
    ...(Number.isNaN(at) ? {} : { timestamp: new Date(at).toISOString() })
  }
}

/**
 * Makes a reader for the lines of one answer, in order. Thinking and text become parts with their own start and end, in
 * the order in which they come; a call without an id is given one.
 */
export const makePartReader = (): PartReader => {
  let started = false
  let called = false
  const { close, write } = makeBlocks()

  const read = (line: unknown, parts: GrowingParts): void => {
    const chunk = readChunk(line)
    if (!started) parts.push(metadataOf(chunk))
    started = true
    write("reasoning", chunk.message?.thinking, parts)
    write("text", chunk.message?.content, parts)
    for (const call of chunk.message?.tool_calls ?? []) {
      called = true
      const { arguments: given, name } = call.function
      close(parts)
      parts.push(...callParts(idOrNew(call.id), name ?? "", paramsOf(given)))
    }
    if (chunk.done !== true) return
    close(parts)
    parts.push(finishOf(chunk, called))
  }
  return { read, end: () => {} }
}

/** Joins the parts of a finished stream: each run of thinking or text becomes one part. */
export const joinParts = (parts: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const joined: Array<Response.PartEncoded> = []
  let block = ""
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        block = ""
        break
      case "text-delta":
      case "reasoning-delta":
        block += part.delta
        break
      case "text-end":
        joined.push({ type: "text", text: block })
        break
      case "reasoning-end":
        joined.push({ type: "reasoning", text: block })
        break
      case "response-metadata":
      case "tool-call":
      case "finish":
        joined.push(part)
        break
    }
  }
  return joined
}
