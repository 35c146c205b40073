// @ts-check
import assert from "node:assert/strict"
import { createServer } from "node:http"
import { after, test } from "node:test"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { checkPlugin } from "task-conductor/testing"
import plugin from "./index.js"

/** @type {Array<{ url: string | undefined, key: unknown, body: any }>} */
const requests = []
/** @type {Array<object>} */
let events = []
let status = 200

/* A server that answers each request with these events. */
const server = createServer(async (request, response) => {
  let text = ""
  for await (const piece of request) text += piece
  requests.push({
    url: request.url,
    key: request.headers["x-api-key"],
    body: text === "" ? undefined : JSON.parse(text)
  })
  if (request.url === "/v1/models") return response.end(JSON.stringify({ data: [{ id: "a" }, { id: "b" }] }))
  response.writeHead(status, { "content-type": "text/event-stream" })
  for (const event of events) {
    response.write(status === 200 ? `event: x\ndata: ${JSON.stringify(event)}\n\n` : JSON.stringify(event))
  }
  response.end()
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
after(() => server.close())

const address = server.address()
const host = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
const apiKey = Redacted.make("a-key")
const { providers } = plugin
assert.ok(typeof providers === "function")
const [provider] = providers({ config: { url: `${host}/` }, secret: () => "" })
assert.ok(provider)

const model = provider.model({ host, apiKey, model: "messages:a", contextWindow: 8192, maxAnswerTokens: 100 })
const tools = Toolkit.make(Tool.make("get_rain", { parameters: Schema.Struct({ day: Schema.Int }) }))

/** @param {string} prompt */
const ask = (prompt) =>
  LanguageModel.generateText({ prompt, toolkit: tools, disableToolCallResolution: true }).pipe(
    Effect.provide(model),
    Effect.runPromise
  )

test("is a plugin that the host accepts", async () => {
  assert.deepEqual(await checkPlugin(new URL("./index.js", import.meta.url)), [])
  const problems = await checkPlugin(new URL("./index.js", import.meta.url), { config: { url: 8080 } })
  assert.match(problems.join(), /url/)
})

test("has the server where the configuration says", () => {
  const { problem, read } = provider.server ?? {}
  assert.deepEqual([read?.({}), problem?.(host)], [host, undefined])
})

test("reads text, and the tokens of the prompt with those in the cache", async () => {
  events = [
    { type: "message_start", message: { usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Sun" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ny." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" }
  ]
  const { finishReason, text, usage } = await ask("How is it?")
  assert.deepEqual([text, finishReason], ["Sunny.", "stop"])
  assert.deepEqual([usage.inputTokens.total, usage.inputTokens.cacheRead, usage.outputTokens.total], [8, 3, 2])
  const { body, key, url } = requests.at(-1) ?? {}
  assert.deepEqual([url, key], ["/v1/messages", "a-key"])
  assert.deepEqual(body.messages, [{ role: "user", content: "How is it?" }])
  assert.deepEqual([body.model, body.max_tokens, body.stream, body.tools[0].name], ["a", 100, true, "get_rain"])
})

test("reads calls, whose arguments come in pieces", async () => {
  events = [
    { type: "message_start", message: { usage: { input_tokens: 5 } } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "t1", name: "get_rain", input: {} }
    },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"da' } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: 'y":3}' } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" }
  ]
  const { finishReason, toolCalls } = await ask("Rain on the third?")
  assert.equal(finishReason, "tool-calls")
  assert.deepEqual(
    toolCalls.map(({ id, name, params }) => ({ id, name, params })),
    [{ id: "t1", name: "get_rain", params: { day: 3 } }]
  )
})

test("fails with what the server says", async () => {
  status = 400
  events = [{ type: "error", error: { type: "invalid_request_error", message: "max_tokens is too large" } }]
  await assert.rejects(ask("How is it?"), /max_tokens is too large/)
  status = 200
  events = [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }]
  await assert.rejects(ask("How is it?"), /Overloaded/)
  events = [{ type: "message_start", message: {} }]
  await assert.rejects(ask("How is it?"), /ended without its last event/)
})

test("knows which models the server offers", async () => {
  const known = Effect.gen(function* () {
    const connected = yield* provider.connect?.({ host, apiKey }) ?? Effect.die("no server")
    const facts = yield* Effect.forEach(["messages:a", "messages:c"], connected.facts)
    return { greeting: yield* connected.greeting, missing: facts.map(({ isMissing }) => isMissing) }
  })
  assert.deepEqual(await Effect.runPromise(Effect.scoped(known)), {
    greeting: `the Messages API at ${host}, with 2 models`,
    missing: [false, true]
  })
})
