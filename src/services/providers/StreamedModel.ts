/**
 * A language model with streamed answers, as a service of effect/ai. The first part of this file is about the parts of
 * an answer, the second about a server that streams objects over HTTP. Every request streams, because only a stream
 * shows whether the answer makes progress.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Response from "effect/ai/Response"
import { randomBytes } from "node:crypto"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Prompt from "effect/ai/Prompt"
import { CallOptions, type CallSettings, type CallState, watchCall } from "./CallOptions.ts"
import { type Spoken, toAiError } from "./ModelErrors.ts"
import type { ModelOptions } from "./Provider.ts"
import { makeRequestFit } from "./RequestFit.ts"
import { asServerError, brokenOff, ServerError } from "./ServerFailure.ts"
import { type Exchange, openAgent } from "./ServerTransport.ts"
import { maxNesting, withoutDeeper } from "../../domain/text/Json.ts"

/** Parts of an answer, as effect/ai streams them. */
export type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Converts the objects of one answer to parts, in order. */
export interface PartReader {
  /** Throws a `ServerError` for an object that does not belong to an answer. */
  readonly read: (object: unknown) => Parts
  /** The parts that are known only after the last object. */
  readonly end: () => Parts
}

/** Builds the text and thought parts of an answer in their order. */
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

/** The id of a call, or a new one if the server gave none. */
export const idOrNew = (given: string | null | undefined): string =>
  given == null || given === "" ? `id_${randomBytes(12).toString("hex")}` : given

const decodeArguments = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Reads arguments from an object, or from JSON in a string. Text that is not JSON is returned unchanged, and the schema
 * of the tool then refuses it.
 *
 * Arguments that are nested too deeply are cut one level beyond the limit. The check of the call then refuses them.
 */
export const paramsOf = (value: unknown): unknown => {
  if (value === undefined || value === null) return {}
  if (typeof value === "string" && value.trim() === "") return {}
  const decoded = typeof value === "string" ? Option.getOrElse(decodeArguments(value), () => value) : value
  /** Some servers encode the JSON twice. */
  const inner = typeof decoded === "string" ? Option.getOrUndefined(decodeArguments(decoded)) : undefined
  return withoutDeeper((Predicate.isObject(inner) ? inner : decoded) as Schema.Json, maxNesting + 1)
}

/** A count that the server reported. An invalid count becomes undefined, and the answer stays valid. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Converts the reason why an answer ended. `said` is the reason in the words of the server. */
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

/**
 * The last part of an answer. The cached tokens belong to the prompt, although some servers do not count them in
 * `prompt`.
 */
export const finishPart = (
  serverReason: string | null | undefined,
  called: boolean,
  counts: { readonly prompt: unknown; readonly cached?: unknown; readonly answer: unknown; readonly thoughts?: unknown }
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finishReason(serverReason, called),
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

/** Joins the parts of a stream: consecutive thoughts become one, and so do consecutive texts. */
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

/** The options of effect/ai that a provider reads. */
export type PromptOptions = Pick<LanguageModel.ProviderOptions, "prompt" | "tools" | "toolChoice" | "responseFormat">

const withoutTools = { tools: [], toolChoice: "none", responseFormat: { type: "text" } } as const

type Streamed = (
  asked: PromptOptions,
  method: "generateText" | "streamText"
) => Stream.Stream<Response.StreamPartEncoded, AiError.AiError>

/**
 * A model of effect/ai that always streams. Without tools, the stream skips the decoding of effect/ai. The decoding
 * would build a schema for each answer, only to check parts that this program wrote.
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

/** The settings of a call. What the call does not set comes from the options of the model. */
export type Sent = Omit<CallSettings, "contextWindow" | "maxTokens" | "model"> & {
  readonly model: string
  readonly contextWindow: number
  readonly maxTokens: number
}

/** What differs between servers. */
interface StreamedServer<Question> {
  readonly spoken: Spoken
  /** The URL for answers. */
  readonly url: string
  /** Converts the prompt and its options into the form of the server. */
  readonly readOptions: (asked: PromptOptions) => Effect.Effect<Question, AiError.AiErrorReason>
  /** Makes the body of the request. */
  readonly requestOf: (question: Question, sent: Sent) => object
  /** Sends a request and returns the objects of the answer as they arrive. */
  readonly open: (request: object, exchange: Exchange) => Promise<AsyncIterable<unknown>>
  readonly makeReader: (sent: Sent) => PartReader
  /** Replaces an error by a more exact error for this model, if possible. */
  readonly refine?: (error: ServerError, model: string) => ServerError
}

/** The error that ends a request whose answer is complete or no longer wanted. */
const notRead = brokenOff("nobody reads the answer any more")

/** The model as a service. Building the layer never fails. If the server is missing, only the first request fails. */
export const layerStreamed = <Question>(
  server: StreamedServer<Question>,
  options: ModelOptions
): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const agent = yield* openAgent(options.host)
      const clock = yield* Clock.Clock
      const { module } = server.spoken
      const requestFit = makeRequestFit()
      /** When the server last sent an object to any call. */
      let anyReceivedAt = 0

      const answer = Effect.fnUntraced(function* (promptOptions: PromptOptions, method: string) {
        const settings = yield* CallOptions
        const sent: Sent = {
          ...settings,
          model: settings.model ?? options.model,
          contextWindow: settings.contextWindow ?? options.contextWindow,
          maxTokens: settings.maxTokens ?? options.maxAnswerTokens,
          think: settings.think ?? options.think
        }
        const failed = ({ failure }: ServerError) => toAiError(failure, server.spoken, { method, model: sent.model })
        if (!URL.canParse(server.url)) {
          return yield* failed(new ServerError({ failure: { _tag: "BadAddress", host: options.host } }))
        }
        const question = yield* Effect.mapError(server.readOptions(promptOptions), (reason) =>
          AiError.make({ module, method, reason })
        )
        const { signal } = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (call) => Effect.sync(() => call.abort(notRead))
        )
        const state: CallState = { began: clock.currentTimeMillisUnsafe(), isConnected: false, receivedAt: undefined }
        const connected = () => {
          state.isConnected = true
          settings.connected?.()
        }
        const call = requestFit.forCall(sent.model)
        /**
         * Sends the request. If the server refuses parts of it, sends it again without them. Objects that arrive
         * together are passed on together.
         */
        const receive = async (parts: Queue.Queue<Response.StreamPartEncoded, ServerError | Cause.Done>) => {
          const request = call.fit(server.requestOf(question, sent))
          let hasBegun = false
          try {
            const { end, read } = server.makeReader(sent)
            for await (const object of await server.open(request, { agent, connected, signal })) {
              state.receivedAt = anyReceivedAt = clock.currentTimeMillisUnsafe()
              for (const part of read(object)) {
                hasBegun = true
                Queue.offerUnsafe(parts, part)
              }
            }
            for (const part of end()) Queue.offerUnsafe(parts, part)
            for (const notice of call.notices()) settings.noticed?.(notice)
            Queue.endUnsafe(parts)
          } catch (cause) {
            const error = asServerError(cause)
            if (!hasBegun && call.learn(error.failure, request)) return receive(parts)
            call.forget()
            Queue.failCauseUnsafe(parts, Cause.fail(error))
          }
        }
        return Stream.callback<Response.StreamPartEncoded, ServerError>((parts) => {
          void receive(parts)
          return watchCall(settings.seconds, state, () => anyReceivedAt)
        }).pipe(Stream.mapError((error) => failed(server.refine?.(error, sent.model) ?? error)))
      })
      return yield* makeStreamedModel((asked, method) => Stream.unwrap(answer(asked, method)))
    })
  )
