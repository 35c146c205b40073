/**
 * What the readers of answers share: text and thoughts as parts of effect/ai with a start and an end each, and calls.
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import { maxNesting, withoutDeeper } from "../../domain/text/Json.ts"

export type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Turns the objects of one answer, in order, into parts; `end` adds those that are known when the last has come. */
export interface PartReader {
  /** Throws a `ServerError` for an object that is none of an answer. */
  readonly read: (object: unknown) => Parts
  readonly end: () => Parts
}

/** Text and thoughts of one answer, in the order in which they come. */
export const makeBlocks = () => {
  let blocks = 0
  let open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined

  const close = (): Parts => {
    const closed = open
    open = undefined
    return closed === undefined ? [] : [{ type: `${closed.kind}-end`, id: closed.id }]
  }
  const write = (kind: "text" | "reasoning", delta: string | null | undefined): Parts => {
    if (delta == null || delta === "") return []
    if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, delta }]
    const before = close()
    const id = `${kind}-${blocks++}`
    open = { kind, id }
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }
  return { close, write }
}

/** The id of a call to which the server gave none. */
export const idOrNew = (given: string | null | undefined): string =>
  given == null || given === "" ? `id_${randomBytes(12).toString("hex")}` : given

const decodeArguments = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Arguments come as an object, or as JSON in a string; text that is not JSON stays text for the tool's schema to
 * refuse. Arguments that are nested too deeply keep one level more than the check of calls accepts.
 */
export const paramsOf = (value: unknown): unknown => {
  if (value === undefined || value === null) return {}
  if (typeof value === "string" && value.trim() === "") return {}
  const given = typeof value === "string" ? Option.getOrElse(decodeArguments(value), () => value) : value
  return withoutDeeper(given as Schema.Json, maxNesting + 1)
}

/** A count that a server says; an invalid one does not lose the answer. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Why an answer ended, by the words of all servers. */
const finishReason = (said: string | null | undefined, called: boolean): Response.FinishReason => {
  switch (said) {
    case "stop":
    case "tool_calls":
    case "function_call":
      return called ? "tool-calls" : "stop"
    case "length":
      return "length"
    case "content_filter":
      return "content-filter"
    case null:
    case undefined:
    case "":
      return "unknown"
    default:
      return "other"
  }
}

/** The last part of an answer. `cached` is a part of `prompt`; servers that do not say it may leave it out of the total. */
export const finishPart = (
  said: string | null | undefined,
  called: boolean,
  counts: { readonly prompt: unknown; readonly cached?: unknown; readonly answer: unknown; readonly thoughts?: unknown }
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finishReason(said, called),
  usage: {
    inputTokens: {
      uncached: undefined,
      total: countOf(counts.prompt),
      cacheRead: countOf(counts.cached),
      cacheWrite: undefined
    },
    outputTokens: { total: countOf(counts.answer), text: undefined, reasoning: countOf(counts.thoughts) }
  }
})

/** The parts of a finished stream: each run of thinking or text becomes one part. */
const joinParts = (parts: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const blocks = new Map<string, string>()
  return parts.flatMap((part): Array<Response.PartEncoded> => {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
        blocks.set(part.id, (blocks.get(part.id) ?? "") + part.delta)
        return []
      case "text-end":
        return [{ type: "text", text: blocks.get(part.id) ?? "" }]
      case "reasoning-end":
        return [{ type: "reasoning", text: blocks.get(part.id) ?? "" }]
      case "tool-call":
      case "finish":
        return [part]
      default:
        return []
    }
  })
}

/** What a provider reads of what is asked. */
export type Asked = Pick<LanguageModel.ProviderOptions, "prompt" | "tools" | "toolChoice" | "responseFormat">

const withoutTools = { tools: [], toolChoice: "none", responseFormat: { type: "text" } } as const

type Streamed = (
  asked: Asked,
  method: "generateText" | "streamText"
) => Stream.Stream<Response.StreamPartEncoded, AiError.AiError>

/**
 * A model of effect/ai whose answers are streams, also where the whole answer is wanted at once. The parts of a stream without
 * tools are not decoded: effect/ai would make a schema for each answer, to check what was made here.
 */
export const makeStreamedModel = Effect.fnUntraced(function* (streamed: Streamed) {
  const model = yield* LanguageModel.make({
    generateText: (asked) => Effect.map(Stream.runCollect(streamed(asked, "generateText")), joinParts),
    streamText: (asked) => streamed(asked, "streamText")
  })
  const streamText = (options: LanguageModel.GenerateTextOptions<{}>) =>
    options.toolkit === undefined
      ? Stream.map(streamed({ ...withoutTools, prompt: Prompt.make(options.prompt) }, "streamText"), (part) =>
          Response.makePart(part.type, part as never)
        )
      : model.streamText({ ...options, toolkit: options.toolkit })
  return { ...model, streamText: streamText as unknown as LanguageModel.LanguageModel["streamText"] }
})
