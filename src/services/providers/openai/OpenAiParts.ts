/**
 * Turns the chunks of a streamed answer into the parts of effect/ai. Each answer has its own reader.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Response from "effect/ai/Response"
import { callParts, countOf, idOrNew, makeBlocks, paramsOf, type PartReader, type Parts } from "../AnswerParts.ts"
import { badShape } from "../ServerFailure.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A piece of a call: the first has its name, the others more of its arguments. */
const CallPiece = Schema.Struct({
  index: Schema.optionalKey(Schema.Unknown),
  id: text,
  function: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) }))
  )
})
type CallPiece = typeof CallPiece.Type

/** What servers add to an answer; some send a whole `message` in a stream. Thoughts have one of two names. */
const Delta = Schema.Struct({
  content: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(CallPiece)))
})

/** Counts are not checked here, so that an invalid statistic does not lose an answer. */
const Usage = Schema.Struct({
  prompt_tokens: Schema.optionalKey(Schema.Unknown),
  completion_tokens: Schema.optionalKey(Schema.Unknown),
  prompt_tokens_details: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ cached_tokens: Schema.optionalKey(Schema.Unknown) }))
  ),
  completion_tokens_details: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ reasoning_tokens: Schema.optionalKey(Schema.Unknown) }))
  )
})
type Usage = typeof Usage.Type

const Chunk = Schema.Struct({
  model: text,
  created: Schema.optionalKey(Schema.Unknown),
  choices: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          delta: Schema.optionalKey(Schema.NullOr(Delta)),
          message: Schema.optionalKey(Schema.NullOr(Delta)),
          finish_reason: text
        })
      )
    )
  ),
  usage: Schema.optionalKey(Schema.NullOr(Usage))
})
type Chunk = typeof Chunk.Type

const decodeChunk = Schema.decodeUnknownResult(Chunk)

const finishReason = (reason: string | undefined, called: boolean): Response.FinishReason => {
  switch (reason) {
    case "stop":
    case "tool_calls":
    case "function_call":
      return called ? "tool-calls" : "stop"
    case "length":
      return "length"
    case "content_filter":
      return "content-filter"
    case undefined:
    case "":
      return "unknown"
    default:
      return "other"
  }
}

const finishPart = (
  reason: string | undefined,
  called: boolean,
  usage: Usage | undefined
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finishReason(reason, called),
  usage: {
    inputTokens: {
      uncached: undefined,
      total: countOf(usage?.prompt_tokens),
      // Part of the total.
      cacheRead: countOf(usage?.prompt_tokens_details?.cached_tokens),
      cacheWrite: undefined
    },
    outputTokens: {
      total: countOf(usage?.completion_tokens),
      text: undefined,
      reasoning: countOf(usage?.completion_tokens_details?.reasoning_tokens)
    }
  }
})

const metadataOf = ({ created, model }: Chunk): Response.ResponseMetadataPartEncoded => {
  const seconds = countOf(created)
  return {
    type: "response-metadata",
    ...(model == null ? {} : { modelId: model }),
    ...(seconds === undefined || seconds > 1e11 ? {} : { timestamp: new Date(seconds * 1000).toISOString() })
  }
}

/** A call whose pieces arrive. */
interface OpenCall {
  readonly index: unknown
  readonly id: string
  name: string
  given: string
}

/** Makes a reader for one answer: `read` takes each chunk in order, `end` gives what is known when the last has come. */
export const makePartReader = (): PartReader => {
  let started = false
  let reason: string | undefined
  let usage: Usage | undefined
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
    const first = started ? [] : [metadataOf(chunk)]
    started = true
    usage = chunk.usage ?? usage
    const choice = chunk.choices?.[0]
    const delta = choice?.delta ?? choice?.message
    for (const piece of delta?.tool_calls ?? []) takePiece(piece)
    reason = choice?.finish_reason ?? reason
    return [
      ...first,
      ...write("reasoning", delta?.reasoning_content ?? delta?.reasoning),
      ...write("text", delta?.content)
    ]
  }
  const end = (): Parts => [
    ...close(),
    ...calls.flatMap(({ given, id, name }) => callParts(id, name, paramsOf(given))),
    finishPart(reason, calls.length > 0, usage)
  ]
  return { read, end }
}
