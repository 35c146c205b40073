// @ts-check
/** The language model: `POST /v1/messages`, whose answer is a stream of events with a JSON object each. */
import * as Effect from "effect/Effect"
import {
  badLine,
  badShape,
  brokenOff,
  closedJsonSchema,
  drain,
  finishPart,
  idOrNew,
  layerStreamed,
  linesOf,
  makeBlocks,
  openAnswer,
  paramsOf,
  reportedError,
  sentId,
  sentMessages,
  sentTools,
  textOf,
  toolResultText
} from "task-conductor/plugin"
import { headersOf, nameOnServer, spoken } from "./address.js"

/**
 * @typedef {{ type: string, text?: string, thinking?: string, id?: string, name?: string, partial_json?: string, stop_reason?: string | null }} Piece
 * @typedef {{ input_tokens?: number, cache_read_input_tokens?: number, cache_creation_input_tokens?: number, output_tokens?: number }} Usage
 * @typedef {{ type: string, index?: number, message?: { usage?: Usage }, content_block?: Piece, delta?: Piece, usage?: Usage }} AnswerEvent
 */

/** What was said: a message has no other parts that this API takes back. */
const writtenMessages = (/** @type {import("task-conductor/plugin").PromptOptions["prompt"]} */ prompt) =>
  sentMessages(
    prompt,
    (message) => {
      const text = textOf(message.content, "")
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call"
          ? [{ type: "tool_use", id: sentId(part.id), name: part.name, input: part.params ?? {} }]
          : []
      )
      return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text", text }]), ...calls] }
    },
    (result) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: sentId(result.id), content: toolResultText(result) }]
    }),
    (text, pictures) => ({
      role: "user",
      content: [
        ...pictures.map(({ data, mediaType }) => ({
          type: "image",
          source: { type: "base64", media_type: mediaType, data }
        })),
        { type: "text", text }
      ]
    })
  )

/** @param {import("task-conductor/plugin").PromptOptions["toolChoice"]} choice */
const toolChoice = (choice) => {
  if (choice === "required") return { type: "any" }
  if (typeof choice !== "object") return undefined
  if ("tool" in choice) return { type: "tool", name: choice.tool }
  return choice.mode === "required" ? { type: "any" } : undefined
}

/** @param {import("task-conductor/plugin").PromptOptions} asked */
const readQuestion = (asked) =>
  Effect.gen(function* () {
    const { prompt, responseFormat, toolChoice: choice, tools } = asked
    const written = writtenMessages(prompt)
    const oneOf = typeof choice === "object" && "oneOf" in choice ? choice.oneOf : undefined
    const chosen = choice === "none" ? [] : tools.filter(({ name }) => oneOf === undefined || oneOf.includes(name))
    const format = responseFormat.type === "text" ? undefined : yield* closedJsonSchema(responseFormat.schema)
    return {
      /* Instructions stand beside the messages, not among them. */
      system: written.flatMap(({ content, role }) => (role === "system" ? [content] : [])).join("\n\n") || undefined,
      messages: written.filter(({ role }) => role !== "system"),
      ...(chosen.length === 0
        ? {}
        : {
            tools: sentTools(chosen).map(({ function: { description, name, parameters } }) => ({
              name,
              description,
              input_schema: parameters
            })),
            tool_choice: toolChoice(choice)
          }),
      ...(format === undefined ? {} : outputFormat(format))
    }
  })

/** @param {object} schema */
const outputFormat = (schema) => ({ output_config: { format: { type: "json_schema", schema } } })

/** The words of this API for why an answer ended, in those that the program knows. */
const stopReasons = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["refusal", "content_filter"]
])

/** Makes what reads the events of one answer. */
const makeReader = () => {
  const { close, write } = makeBlocks()
  /** @type {Map<number, { id: string, name: string, json: string }>} */
  const calls = new Map()
  /** @type {Usage} */
  let usage = {}
  /** @type {string | undefined} */
  let reason

  /** @returns {import("task-conductor/plugin").Parts} */
  const read = (/** @type {unknown} */ object) => {
    const event = /** @type {AnswerEvent} */ (object)
    usage = { ...usage, ...event.message?.usage, ...event.usage }
    const { content_block: block, delta, index = 0 } = event
    switch (event.type) {
      case "content_block_start":
        if (block?.type === "tool_use") {
          calls.set(index, { id: idOrNew(block.id), name: block.name ?? "", json: "" })
          return close()
        }
        return [...write("reasoning", block?.thinking), ...write("text", block?.text)]
      case "content_block_delta": {
        if (delta?.type !== "input_json_delta") {
          return [...write("reasoning", delta?.thinking), ...write("text", delta?.text)]
        }
        const call = calls.get(index)
        if (call === undefined) throw badShape(event)
        call.json += delta.partial_json ?? ""
        return [{ type: "tool-params-delta", id: call.id, delta: delta.partial_json ?? "" }]
      }
      case "message_delta":
        reason = stopReasons.get(delta?.stop_reason ?? "") ?? delta?.stop_reason ?? reason
        return []
      default:
        return []
    }
  }

  /** @returns {import("task-conductor/plugin").Parts} */
  const end = () => {
    /* The tokens that the server read from its cache, or wrote to it, are not among the others. */
    const { cache_creation_input_tokens: written = 0, cache_read_input_tokens: cached = 0, input_tokens: fresh } = usage
    const prompt = fresh === undefined ? undefined : fresh + cached + written
    return [
      ...close(),
      ...[...calls.values()].map(({ id, json, name }) => ({
        type: /** @type {const} */ ("tool-call"),
        id,
        name,
        params: paramsOf(json)
      })),
      finishPart(reason, calls.size > 0, { prompt, cached, answer: usage.output_tokens })
    ]
  }
  return { read, end }
}

/** @param {string} text */
const eventOf = (text) => {
  try {
    return /** @type {AnswerEvent & { error?: unknown }} */ (JSON.parse(text))
  } catch {
    throw badLine(text)
  }
}

/**
 * The objects of an answer. The name of an event is also the `type` of its object, so only the data is read.
 *
 * @param {AsyncIterable<Uint8Array>} body
 */
async function* eventsOf(body) {
  const lines = linesOf(body)
  for (;;) {
    const { done, value = [] } = await lines.next()
    if (done) throw brokenOff("the answer ended without its last event")
    for (const { text } of value) {
      if (text.startsWith("<")) throw badLine(text)
      if (!text.startsWith("data:")) continue
      const event = eventOf(text.slice("data:".length))
      if (event.type === "error") throw reportedError(event)
      if (event.type === "message_stop") return void (await drain(lines))
      yield event
    }
  }
}

/** @param {import("task-conductor/plugin").ModelOptions} options */
export const layerModel = (options) => {
  const url = `${options.host}/v1/messages`
  return layerStreamed(
    {
      spoken,
      url,
      readOptions: readQuestion,
      makeReader,
      requestOf: (question, { bound, maxTokens, model, sampling }) => ({
        model: nameOnServer(model),
        ...(bound?.format === undefined ? {} : outputFormat(bound.format)),
        ...question,
        stream: true,
        max_tokens: maxTokens,
        temperature: sampling.temperature,
        top_p: sampling.topP,
        top_k: sampling.topK
      }),
      open: async (request, exchange) => eventsOf(await openAnswer(exchange, url, request, headersOf(options)))
    },
    options
  )
}
