/** A language model that a function of the program implements. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import { functionParameter } from "../services/providers/ModelErrors.ts"
import { CallOptions } from "../services/providers/CallOptions.ts"
import { estimatedFinish, sentMessages, sentTools, textOf, toolResultText } from "../services/providers/PromptText.ts"
import {
  finishPart,
  idOrNew,
  makeBlocks,
  makeStreamedModel,
  paramsOf,
  type PromptOptions
} from "../services/providers/StreamedModel.ts"

/** A tool call that the model requests. */
export interface FunctionCall {
  /** The id of the call. Default: a generated one. */
  readonly id?: string
  /** The name of the tool. */
  readonly name: string
  /** The arguments as an object, or as the JSON text of an object. */
  readonly arguments: unknown
}

/** One message of a prompt. */
export interface FunctionMessage {
  /** The author of the message; `tool` for the result of a call. */
  readonly role: "system" | "user" | "assistant" | "tool"
  /** The text of the message. */
  readonly content: string
  /** The calls that the assistant requested; only for `assistant`. */
  readonly toolCalls?: ReadonlyArray<Required<FunctionCall>>
  /** The id of the call that produced this result; only for `tool`. */
  readonly toolCallId?: string
  /** The name of the tool; only for `tool`. */
  readonly toolName?: string
  /** Pictures of the user, in base64. */
  readonly images?: ReadonlyArray<{ readonly mediaType: string; readonly data: string }>
}

/** A tool in a prompt. */
export interface FunctionTool {
  /** The name by which the model calls it. */
  readonly name: string
  /** Says what the tool does and when to use it. */
  readonly description: string
  /** The JSON schema of its arguments. */
  readonly parameters: object
}

/** What the function receives: a prompt with its settings. */
export interface FunctionQuestion {
  /** The messages of the prompt, beginning with the system message. */
  readonly messages: ReadonlyArray<FunctionMessage>
  /** The tools for native calls; empty unless `toolCalls` is `native`. */
  readonly tools: ReadonlyArray<FunctionTool>
  /** The model that a stage or a skill chose, if it differs from the model of the run. */
  readonly model?: string
  /** A JSON schema for the answer. A server can force the answer to fit it. */
  readonly format?: object
  /** The maximum length of the answer in tokens. */
  readonly maxTokens?: number
  /** How freely tokens are sampled: 0 takes the most likely ones. Absent if neither the user nor task-conductor sets it. */
  readonly temperature?: number
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** The answer: its text, or its parts. Missing token counts are estimated. */
export type FunctionAnswer =
  | string
  | {
      readonly text?: string
      readonly toolCalls?: ReadonlyArray<FunctionCall>
      /** "length" for an answer that was cut off. Default: "stop". */
      readonly finishReason?: "stop" | "length"
      readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number }
    }

/**
 * Returns an answer, whole or as a stream of text pieces. An exception fails the model call. If its `isRetryable` is
 * true, the program calls the function again.
 */
export type ModelFunction = (
  question: FunctionQuestion
) => FunctionAnswer | AsyncIterable<string> | PromiseLike<FunctionAnswer | AsyncIterable<string>>

const assistantMessage = ({ content }: Prompt.AssistantMessage): FunctionMessage => {
  const toolCalls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.id, name: part.name, arguments: part.params }] : []
  )
  return { role: "assistant", content: textOf(content, ""), ...(toolCalls.length === 0 ? {} : { toolCalls }) }
}

const toolMessage = (part: Prompt.ToolResultPart): FunctionMessage => ({
  role: "tool",
  content: toolResultText(part),
  toolCallId: part.id,
  toolName: part.name
})

const questionOf = (options: PromptOptions, signal: AbortSignal) =>
  Effect.map(CallOptions, ({ bound, maxTokens, model, sampling: { temperature } }): FunctionQuestion => ({
    messages: sentMessages(options.prompt, assistantMessage, toolMessage, (content, images) => ({
      role: "user",
      content,
      images
    })) as ReadonlyArray<FunctionMessage>,
    tools: options.toolChoice === "none" ? [] : sentTools(options.tools).map((tool) => tool.function),
    ...(model === undefined ? {} : { model }),
    ...(bound?.format === undefined ? {} : { format: bound.format }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    signal
  }))

type Parts = ReadonlyArray<Response.StreamPartEncoded>

const endOf = (options: PromptOptions, answer: Exclude<FunctionAnswer, string>): Response.StreamPartEncoded => {
  const { finishReason = "stop", text = "", toolCalls = [], usage } = answer
  const hasCalls = toolCalls.length > 0
  if (usage === undefined) return estimatedFinish(options, text, hasCalls ? "tool_calls" : finishReason)
  return finishPart(finishReason, hasCalls, { prompt: usage.inputTokens, answer: usage.outputTokens })
}

const partsOf = (options: PromptOptions, functionAnswer: FunctionAnswer): Parts => {
  const answer = typeof functionAnswer === "string" ? { text: functionAnswer } : functionAnswer
  const { close, write } = makeBlocks()
  return [
    ...write("text", answer.text),
    ...close(),
    ...(answer.toolCalls ?? []).map(({ arguments: params, id, name }) => ({
      type: "tool-call" as const,
      id: idOrNew(id),
      name,
      params: paramsOf(params)
    })),
    endOf(options, answer)
  ]
}

async function* partsOfPieces(options: PromptOptions, pieces: AsyncIterable<string>): AsyncGenerator<Parts, void> {
  const { close, write } = makeBlocks()
  let text = ""
  for await (const piece of pieces) {
    text += piece
    yield write("text", piece)
  }
  yield [...close(), endOf(options, { text })]
}

const isAnswer = (value: unknown): value is FunctionAnswer =>
  typeof value === "string" || Predicate.hasProperty(value, "text") || Predicate.hasProperty(value, "toolCalls")

const failure = (reason: AiError.AiErrorReason) =>
  AiError.make({ module: "a function of the program", method: "streamText", reason })

/** True for a temporary error. Clients of servers mark such an error with `isRetryable`. */
const isPassing = (error: unknown): boolean => Predicate.hasProperty(error, "isRetryable") && error.isRetryable === true

const thrown = (error: unknown) => {
  const description = error instanceof Error ? error.message : String(error)
  return failure(
    isPassing(error)
      ? new AiError.InternalProviderError({ description })
      : new AiError.InvalidRequestError({ description, parameter: functionParameter })
  )
}

const isStream = (value: unknown): value is AsyncIterable<string> =>
  Predicate.isObject(value) && Symbol.asyncIterator in value

export const layerFunction = (answer: ModelFunction): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    makeStreamedModel((options) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const call = yield* Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (controller) => Effect.sync(() => controller.abort())
          )
          const question = yield* questionOf(options, call.signal)
          const functionAnswer = yield* Effect.tryPromise({ try: async () => answer(question), catch: thrown })
          if (isStream(functionAnswer)) {
            return Stream.fromAsyncIterable(partsOfPieces(options, functionAnswer), thrown).pipe(
              Stream.flatMap(Stream.fromIterable)
            )
          }
          if (!isAnswer(functionAnswer)) {
            return yield* thrown(
              `it gave ${JSON.stringify(functionAnswer)}, which is neither a text nor an object with text or toolCalls`
            )
          }
          return Stream.fromIterable(partsOf(options, functionAnswer))
        })
      )
    )
  )
