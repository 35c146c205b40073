/** Models of a program: a function that returns answers, or a model of the AI SDK. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FunctionAnswer, FunctionMessage, FunctionQuestion, ModelFunction } from "./layerFunction.ts"

export type {
  FunctionAnswer,
  FunctionCall,
  FunctionMessage,
  FunctionQuestion,
  FunctionTool,
  ModelFunction
} from "./layerFunction.ts"

/** A model that calls this function for each answer. The code of the model is loaded at the first call. */
export const makeFunctionModel = (answer: ModelFunction): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./layerFunction.ts")),
      ({ layerFunction }) => layerFunction(answer)
    )
  )

/** A language model of the AI SDK (https://ai-sdk.dev), with version 2, 3 or 4 of its interface. */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`. */
  readonly specificationVersion: string
  /** The name of the model. */
  readonly modelId: string
  /** Answers one prompt; task-conductor calls it. */
  doGenerate(options: never): PromiseLike<object>
}

/** The result of a call in the interface of the AI SDK. In version 2, counts and finish reasons are plain values. */
interface Generated {
  readonly content: ReadonlyArray<{
    readonly type: string
    readonly text?: string
    readonly toolCallId?: string
    readonly toolName?: string
    readonly input?: unknown
  }>
  readonly finishReason: string | { readonly unified: string }
  readonly usage: Readonly<Record<"inputTokens" | "outputTokens", number | { readonly total?: number } | undefined>>
}

const messageOf =
  (version: string) =>
  ({ content, images = [], role, toolCallId, toolCalls = [], toolName }: FunctionMessage): object => {
    const texts = content === "" ? [] : [{ type: "text", text: content }]
    switch (role) {
      case "system":
        return { role, content }
      case "user": {
        const files = images.map(({ data, mediaType }) => ({
          type: "file",
          mediaType,
          data: version === "v4" ? { type: "data", data } : data
        }))
        return { role, content: [...texts, ...files] }
      }
      case "assistant": {
        const calls = toolCalls.map(({ arguments: input, id, name }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input
        }))
        return { role, content: [...texts, ...calls] }
      }
      case "tool":
        return {
          role,
          content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } }]
        }
    }
  }

const callOf = (question: FunctionQuestion, version: string): object => {
  const { format, maxTokens, messages, signal, temperature, tools } = question
  return {
    prompt: messages.map(messageOf(version)),
    abortSignal: signal,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(format === undefined ? {} : { responseFormat: { type: "json", schema: format } }),
    ...(tools.length === 0
      ? {}
      : {
          toolChoice: { type: "auto" },
          tools: tools.map(({ description, name, parameters }) => ({
            type: "function",
            name,
            description,
            inputSchema: parameters
          }))
        })
  }
}

const count = (value: number | { readonly total?: number } | undefined): number | undefined =>
  typeof value === "object" ? value.total : value

const answerOf = ({ content, finishReason, usage }: Generated): FunctionAnswer => {
  const reason = typeof finishReason === "string" ? finishReason : finishReason.unified
  if (reason === "error" || reason === "content-filter") throw new Error(`the answer ended with "${reason}"`)
  const [inputTokens, outputTokens] = [count(usage.inputTokens), count(usage.outputTokens)]
  return {
    text: content.map(({ text = "", type }) => (type === "text" ? text : "")).join(""),
    toolCalls: content.flatMap(({ input, toolCallId: id = "", toolName: name = "", type }) =>
      type === "tool-call" ? [{ id, name, arguments: input }] : []
    ),
    finishReason: reason === "length" ? "length" : "stop",
    usage: {
      ...(inputTokens === undefined ? {} : { inputTokens }),
      ...(outputTokens === undefined ? {} : { outputTokens })
    }
  }
}

/** Makes a model of the AI SDK usable for runs: `model: aiSdkModel(openai("gpt-5"))`. */
export const aiSdkModel = (model: AiSdkModel): ModelFunction => {
  const generate = (options: object) => model.doGenerate(options as never) as PromiseLike<Generated>
  return async (question) => answerOf(await generate(callOf(question, model.specificationVersion)))
}
