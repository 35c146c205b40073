/**
 * Turns the lines of a streamed answer into the parts of effect/ai. Each answer has its own reader.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Response from "effect/ai/Response"
import { callParts, countOf, idOrNew, makeBlocks, paramsOf, type PartReader, type Parts } from "../AnswerParts.ts"
import { badShape } from "../ServerFailure.ts"

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

  const read = (line: unknown): Parts => {
    const decoded = decodeChunk(line)
    if (Result.isFailure(decoded)) throw badShape(line)
    const chunk = decoded.success
    const { content, thinking, tool_calls } = chunk.message ?? {}
    const first = started ? [] : [metadataOf(chunk)]
    started = true
    const written = [...write("reasoning", thinking), ...write("text", content)]
    const calls = (tool_calls ?? []).flatMap(({ function: { arguments: given, name }, id }): Parts => {
      called = true
      return [...close(), ...callParts(idOrNew(id), name ?? "", paramsOf(given))]
    })
    return [...first, ...written, ...calls, ...(chunk.done === true ? [...close(), finishOf(chunk, called)] : [])]
  }
  return { read, end: () => [] }
}
