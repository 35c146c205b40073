/**
 * A language model that is a function of the program: it gets plain messages and tools, and gives an answer.
 */
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

/** A call of a tool that the model asks for. */
export interface FunctionCall {
  /** Made up when absent. */
  readonly id?: string
  /** The name of the tool. */
  readonly name: string
  /** An object, or the JSON of one. */
  readonly arguments: unknown
}

/** One message of a prompt. */
export interface FunctionMessage {
  /** Who said it; `tool` for the result of a call. */
  readonly role: "system" | "user" | "assistant" | "tool"
  /** The text. */
  readonly content: string
  /** What the assistant asked for; of messages of the assistant only. */
  readonly toolCalls?: ReadonlyArray<Required<FunctionCall>>
  /** Which call this is the result of; of messages of tools only. */
  readonly toolCallId?: string
  /** The name of the tool; of messages of tools only. */
  readonly toolName?: string
  /** Pictures of the user, in base64. */
  readonly images?: ReadonlyArray<{ readonly mediaType: string; readonly data: string }>
}

/** A tool as a model is told of it; `parameters` is a JSON schema. */
export interface FunctionTool {
  /** The name by which the model calls it. */
  readonly name: string
  /** What it does and when to use it. */
  readonly description: string
  /** The JSON schema of its arguments. */
  readonly parameters: object
}

/** What a model is asked. */
export interface FunctionQuestion {
  /** The prompt: a system message first. */
  readonly messages: ReadonlyArray<FunctionMessage>
  /** The tools that may be called natively; empty unless `toolCalls` is `native`. */
  readonly tools: ReadonlyArray<FunctionTool>
  /** The model that a stage or a skill chose, where it names another one than the run. */
  readonly model?: string
  /** The JSON schema that the answer is bound to, where a server could hold it to one. */
  readonly format?: object
  /** The most tokens of the answer. */
  readonly maxTokens?: number
  /** The sampling temperature; absent where none is set. */
  readonly temperature?: number
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What a model answers: its text, or parts. Tokens are estimated where they are not said. */
export type FunctionAnswer =
  | string
  | {
      readonly text?: string
      readonly toolCalls?: ReadonlyArray<FunctionCall>
      /** "length" for an answer that was cut off; "stop" when absent. */
      readonly finishReason?: "stop" | "length"
      readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number }
    }

/**
 * Gives an answer, also piece by piece as texts. What it throws is the error of the model; it is asked again after an error with
 * `isRetryable`.
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

/** The parts of an answer that comes piece by piece. */
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

/** An error that passes, as clients of servers mark theirs: then the model is asked again. */
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

/** The model as a service of effect/ai. */
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
