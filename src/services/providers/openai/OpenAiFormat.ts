/**
 * The format of /chat/completions: the messages, tools and format of effect/ai as a request has them, and the chunks of a
 * streamed answer as parts of effect/ai.
 */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import { closedJsonSchema, sentId, sentMessages, sentTools, textOf, toolResultText } from "../PromptText.ts"
import { type Asked, finishPart, idOrNew, makeBlocks, paramsOf, type PartReader, type Parts } from "../AnswerParts.ts"
import { badShape } from "../ServerFailure.ts"

/** Thoughts are left out: the API has no place for them. */
const assistantMessage = (message: Prompt.AssistantMessage) => {
  const text = textOf(message.content, "")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: sentId(part.id),
            type: "function",
            function: { name: part.name, arguments: JSON.stringify(part.params ?? {}) }
          }
        ]
      : []
  )
  /* Beside calls, content that is empty is left out: llama-cpp-python refuses null. */
  return calls.length === 0
    ? { role: "assistant", content: text }
    : { role: "assistant", ...(text === "" ? {} : { content: text }), tool_calls: calls }
}

const toolMessage = (part: Prompt.ToolResultPart) => ({
  role: "tool",
  content: toolResultText(part),
  tool_call_id: sentId(part.id)
})

const seenMessage = (text: string, pictures: ReadonlyArray<{ readonly mediaType: string; readonly data: string }>) => ({
  role: "user",
  content: [
    { type: "text", text },
    ...pictures.map(({ data, mediaType }) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,${data}` }
    }))
  ]
})

/** The tools that the model may call, and whether it must; "auto" is what a server does by itself. */
const toolsOf = ({ toolChoice, tools }: Asked) => {
  if (tools.length === 0 || toolChoice === "none") return {}
  const some = typeof toolChoice === "object" && "oneOf" in toolChoice ? new Set<string>(toolChoice.oneOf) : undefined
  const chosen = some === undefined ? tools : tools.filter(({ name }) => some.has(name))
  const named = typeof toolChoice === "object" && "tool" in toolChoice ? toolChoice.tool : undefined
  const isRequired =
    (typeof toolChoice === "object" && "mode" in toolChoice ? toolChoice.mode : toolChoice) === "required"
  const choice =
    named === undefined ? (isRequired ? "required" : undefined) : { type: "function", function: { name: named } }
  return {
    tools: sentTools(chosen),
    ...(choice === undefined ? {} : { tool_choice: choice })
  }
}

/** A schema that says nothing of what is in the object asks for any object. */
const isAnyObject = (schema: JsonSchema.JsonSchema): boolean =>
  ["properties", "anyOf", "oneOf", "allOf", "$ref", "items", "enum"].every((name) => !(name in schema))

const formatOf = (name: string, given: Schema.Constraint) =>
  Effect.map(closedJsonSchema(given), (schema) =>
    isAnyObject(schema) ? { type: "json_object" } : { type: "json_schema", json_schema: { name, strict: true, schema } }
  )

/** The format of an answer that has to fit a JSON schema. */
export const boundFormat = (schema: object): object => ({
  type: "json_schema",
  json_schema: { name: "answer", strict: true, schema }
})

/** The part of the request that depends on what is asked; tools and format are there only when they are used. */
export const readProviderOptions = Effect.fnUntraced(function* (options: Asked) {
  const { prompt, responseFormat: wanted } = options
  const format = wanted.type === "text" ? undefined : yield* formatOf(wanted.objectName, wanted.schema)
  return {
    messages: sentMessages(prompt, assistantMessage, toolMessage, seenMessage),
    ...toolsOf(options),
    ...(format === undefined ? {} : { response_format: format })
  }
})

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = maybe(Schema.String)
/** Not checked here, so that an invalid statistic does not lose an answer. */
const count = Schema.optionalKey(Schema.Unknown)

/** A piece of a call: the first has its name, the others more of its arguments. */
const CallPiece = Schema.Struct({
  index: Schema.optionalKey(Schema.Unknown),
  id: text,
  function: maybe(Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Unknown) }))
})
type CallPiece = typeof CallPiece.Type

/** What servers add to an answer; some send a whole `message` in a stream. Thoughts have one of two names. */
const Delta = Schema.Struct({
  content: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: maybe(Schema.Array(CallPiece))
})

const Usage = Schema.Struct({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: count })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: count }))
})
type Usage = typeof Usage.Type

/** What a server of llama.cpp adds to the last chunk. */
const Timings = Schema.Struct({ predicted_ms: count })

const Chunk = Schema.Struct({
  timings: maybe(Timings),
  choices: maybe(Schema.Array(Schema.Struct({ delta: maybe(Delta), message: maybe(Delta), finish_reason: text }))),
  usage: maybe(Usage)
})

const decodeChunk = Schema.decodeUnknownResult(Chunk)

/** A call whose pieces arrive. */
interface OpenCall {
  readonly index: unknown
  readonly id: string
  name: string
  given: string
}

/** Makes a reader for one answer: `read` takes each chunk in order, `end` gives what is known when the last has come. */
export const makePartReader = (): PartReader => {
  let reason: string | undefined
  let usage: Usage | undefined
  let answerMs: unknown
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
    usage = chunk.usage ?? usage
    answerMs = chunk.timings?.predicted_ms ?? answerMs
    const choice = chunk.choices?.[0]
    const delta = choice?.delta ?? choice?.message
    for (const piece of delta?.tool_calls ?? []) takePiece(piece)
    reason = choice?.finish_reason ?? reason
    return [...write("reasoning", delta?.reasoning_content ?? delta?.reasoning), ...write("text", delta?.content)]
  }
  const end = (): Parts => [
    ...close(),
    ...calls.map(({ given, id, name }) => ({ type: "tool-call" as const, id, name, params: paramsOf(given) })),
    {
      ...finishPart(reason, calls.length > 0, {
        prompt: usage?.prompt_tokens,
        cached: usage?.prompt_tokens_details?.cached_tokens,
        answer: usage?.completion_tokens,
        thoughts: usage?.completion_tokens_details?.reasoning_tokens
      }),
      ...(typeof answerMs === "number" ? { metadata: { openai: { answerMs } } } : {})
    }
  ]
  return { read, end }
}
