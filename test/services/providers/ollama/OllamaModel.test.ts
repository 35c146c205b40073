import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { layerOllama } from "../../../../src/services/providers/ollama/OllamaModel.ts"
import { type CallSeconds, CallOptions, secondsOf } from "../../../../src/services/providers/CallOptions.ts"
import { defaultLimits } from "../../../../src/domain/configuration/Limits.ts"
import type { ModelOptions } from "../../../../src/services/providers/Provider.ts"
import { FakeOllama } from "../../../support/FakeOllama.ts"
import type { Reply } from "../../../support/FakeOllamaReply.ts"
import { passTime } from "../../../support/passTime.ts"
import { waitFor } from "../../../support/waitFor.ts"

const base = { model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }

/** Runs an effect against a server that always gives this reply. */
const withReply = <A, E>(
  reply: Reply | string,
  use: (server: FakeOllama["Service"]) => Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<ModelOptions> = {}
) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(() => reply)
    return yield* use(server).pipe(Effect.provide(layerOllama({ ...base, host: server.url, ...options })))
  })

/** Limits of time for one call, in seconds. */
const within = (seconds: Partial<CallSeconds>) =>
  Effect.provideService(CallOptions, { sampling: {}, seconds: { ...secondsOf(defaultLimits), ...seconds } })

/** A part as plain data, without the marks of effect/ai. */
const plain = (part: Response.AnyPart): unknown => {
  const { "~effect/ai/Response/Part": _mark, metadata, ...rest } = JSON.parse(JSON.stringify(part))
  return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }
}

const streamed = (prompt: Prompt.RawInput) =>
  LanguageModel.streamText({ prompt }).pipe(
    Stream.runCollect,
    Effect.map((parts) => parts.map(plain))
  )

const finish = (reason: string, answerTokens: number) => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: 26 }, outputTokens: { total: answerTokens } },
  metadata: { ollama: { doneReason: reason, totalMs: 1500, loadMs: 250, promptMs: 130, answerMs: 1000 } }
})

const sent = {
  model: "qwen3:8b",
  stream: true,
  keep_alive: "30m",
  truncate: false,
  shift: false,
  options: { num_ctx: 8192, num_predict: 2048 }
}

const Weather = Tool.make("get_weather", {
  description: "Tells the weather of a city.",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.String
})
const Clock = Tool.make("get_time", { description: "Tells the time.", success: Schema.String })
const tools = Toolkit.make(Weather, Clock)
const handlers = tools.toLayer({
  get_weather: ({ city }) => Effect.succeed(`rain in ${city}`),
  get_time: () => Effect.succeed("noon")
})

const sentTools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Tells the weather of a city.",
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: true
      }
    }
  },
  {
    type: "function",
    function: {
      name: "get_time",
      description: "Tells the time.",
      parameters: { type: "object", additionalProperties: false }
    }
  }
]

describe("what is sent", () => {
  const conversation: Prompt.RawInput = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hello" }] }
  ]

  it.effect("streams with a fixed window, a bounded answer, and nothing cut in silence", () =>
    withReply("Hi", ({ chats }) =>
      Effect.gen(function* () {
        yield* streamed(conversation)
        assert.deepStrictEqual(chats, [
          {
            ...sent,
            messages: [
              { role: "system", content: "Be brief." },
              { role: "user", content: "Hello" }
            ]
          }
        ])
      })
    )
  )

  it.effect(
    "leaves it to a server that refuses what does not fit to do so, since asking would load the model anew",
    () =>
      withReply({ text: "Hi", promptTokens: 8000, answerTokens: 192 }, ({ chats }) =>
        Effect.gen(function* () {
          const { finishReason } = yield* LanguageModel.generateText({ prompt: conversation })
          const { shift: _, ...left } = sent
          assert.containsSubset(chats, [left])
          assert.notProperty(chats[0], "shift")
          assert.strictEqual(finishReason, "stop")
        })
      ).pipe(Effect.provideService(CallOptions, { sampling: {}, refusesLong: true }))
  )

  it.effect("takes an answer for cut off before which such a server dropped what was asked", () =>
    withReply({ text: "Hi", promptTokens: 8000, answerTokens: 193 }, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* LanguageModel.generateText({ prompt: conversation })).finishReason, "length")
      })
    ).pipe(Effect.provideService(CallOptions, { sampling: {}, refusesLong: true }))
  )

  it.effect("streams also when the whole answer is wanted", () =>
    withReply("Hi", ({ chats }) =>
      Effect.gen(function* () {
        yield* LanguageModel.generateText({ prompt: "Hello" })
        assert.deepStrictEqual(chats, [{ ...sent, messages: [{ role: "user", content: "Hello" }] }])
      })
    )
  )

  it.effect("sends thinking, keep-alive and the key as they are set", () =>
    withReply(
      "Hi",
      ({ chats, requests }) =>
        Effect.gen(function* () {
          yield* streamed("Hello")
          assert.deepStrictEqual(chats, [
            { ...sent, keep_alive: "2h", think: "low", messages: [{ role: "user", content: "Hello" }] }
          ])
          assert.deepStrictEqual(
            requests.map(({ method, path, headers }) => [method, path, headers.authorization, headers["content-type"]]),
            [["POST", "/api/chat", "Bearer secret", "application/json"]]
          )
        }),
      { keepAlive: "2h", think: "low", apiKey: Redacted.make("secret") }
    )
  )

  it.effect("sends a conversation with thinking, tool calls and their results", () =>
    withReply("Rain.", ({ chats }) =>
      Effect.gen(function* () {
        yield* streamed([
          {
            role: "user",
            content: [
              { type: "text", text: "Weather?" },
              { type: "text", text: "Be brief." }
            ]
          },
          {
            role: "assistant",
            content: [
              { type: "reasoning", text: "I look it up." },
              { type: "text", text: "Looking." },
              { type: "tool-call", id: "call_1", name: "get_weather", params: { city: "Kiel" } },
              { type: "tool-call", id: "call_2", name: "get_time", params: "not JSON" }
            ]
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", id: "call_1", name: "get_weather", isFailure: false, result: "rain" },
              { type: "tool-result", id: "call_2", name: "get_time", isFailure: true, result: { error: "no clock" } }
            ]
          }
        ])
        assert.deepStrictEqual(chats[0]?.messages, [
          { role: "user", content: "Weather?\n\nBe brief." },
          {
            role: "assistant",
            content: "Looking.",
            thinking: "I look it up.",
            tool_calls: [
              { id: "74196fe72", function: { name: "get_weather", arguments: { city: "Kiel" } } },
              { id: "1b68f83fa", function: { name: "get_time", arguments: { value: "not JSON" } } }
            ]
          },
          { role: "tool", content: "rain", tool_name: "get_weather", tool_call_id: "74196fe72" },
          { role: "tool", content: '{"error":"no clock"}', tool_name: "get_time", tool_call_id: "1b68f83fa" }
        ])
      })
    )
  )

  it.effect("sends the tools that may be called", () =>
    withReply("Hi", ({ chats }) =>
      Effect.gen(function* () {
        yield* LanguageModel.generateText({ prompt: "Hello", toolkit: tools })
        yield* LanguageModel.generateText({ prompt: "Hello" })
        assert.deepStrictEqual(
          chats.map((chat) => chat["tools"]),
          [sentTools, undefined]
        )
      }).pipe(Effect.provide(handlers))
    )
  )

  it.effect("sends a closed schema as format and reads the object back", () =>
    withReply({ text: '{"city":"Kiel","days":[{"rain":true}]}' }, ({ chats }) =>
      Effect.gen(function* () {
        class Day extends Schema.Class<Day>("Day")({ rain: Schema.Boolean }) {}
        const { value } = yield* LanguageModel.generateObject({
          prompt: "Forecast",
          schema: Schema.Struct({ city: Schema.String, days: Schema.Array(Day) })
        })
        assert.deepStrictEqual(value, { city: "Kiel", days: [new Day({ rain: true })] })
        assert.deepStrictEqual(chats[0]?.["format"], {
          type: "object",
          properties: {
            city: { type: "string" },
            days: { type: "array", items: { $ref: "#/$defs/DayEncoded" } }
          },
          required: ["city", "days"],
          additionalProperties: false,
          $defs: {
            DayEncoded: {
              type: "object",
              properties: { rain: { type: "boolean" } },
              required: ["rain"],
              additionalProperties: false
            }
          }
        })
      })
    )
  )
})

const call = (id: string, city: string) => [
  { type: "tool-call", id, name: "get_weather", params: { city }, providerExecuted: false }
]

describe("what comes back", () => {
  it.effect("keeps thinking apart from text, with counts and durations at the end", () =>
    withReply({ thinking: "Hm, so.", text: "Hi there.\n" }, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* streamed("Hello"), [
          { type: "reasoning-start", id: "reasoning-0" },
          { type: "reasoning-delta", id: "reasoning-0", delta: "Hm," },
          { type: "reasoning-delta", id: "reasoning-0", delta: " so." },
          { type: "reasoning-end", id: "reasoning-0" },
          { type: "text-start", id: "text-1" },
          { type: "text-delta", id: "text-1", delta: "Hi" },
          { type: "text-delta", id: "text-1", delta: " there.\n" },
          { type: "text-end", id: "text-1" },
          finish("stop", 4)
        ])
      })
    )
  )

  it.effect("joins the stream when the whole answer is wanted", () =>
    withReply({ thinking: "Hm, so.", text: "Hi there.\n" }, () =>
      Effect.gen(function* () {
        const answer = yield* LanguageModel.generateText({ prompt: "Hello" })
        assert.deepStrictEqual(answer.content.map(plain), [
          { type: "reasoning", text: "Hm, so." },
          { type: "text", text: "Hi there.\n" },
          finish("stop", 4)
        ])
      })
    )
  )

  it.effect.each([
    ["length", { text: "Hi", doneReason: "length" }, finish("length", 1)],
    ["nothing at all", { text: "" }, finish("stop", 0)],
    [
      "loading only",
      { doneReason: "load" },
      { ...finish("other", 0), metadata: { ollama: { ...finish("load", 0).metadata.ollama } } }
    ],
    [
      "no reason and no statistics",
      { doneReason: null, stats: false },
      { type: "finish", reason: "unknown", usage: { inputTokens: {}, outputTokens: {} }, metadata: { ollama: {} } }
    ]
  ] satisfies ReadonlyArray<readonly [string, Reply, unknown]>)("reads an end with %s", ([, reply, expected]) =>
    withReply(reply, () =>
      Effect.gen(function* () {
        const parts = yield* streamed("Hello")
        assert.deepStrictEqual(parts.at(-1), expected)
      })
    )
  )

  it.effect("does not lose an answer because its statistics are odd", () =>
    withReply(
      {
        chunks: [
          '{"message":{"role":"assistant","content":"Hi","thinking":null,"tool_calls":null},"created_at":"yesterday","done":false}\n',
          '{"done":true,"done_reason":"stop","prompt_eval_count":-1,"eval_count":"many","total_duration":1e99}\n'
        ]
      },
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* streamed("Hello"), [
            { type: "text-start", id: "text-0" },
            { type: "text-delta", id: "text-0", delta: "Hi" },
            { type: "text-end", id: "text-0" },
            {
              type: "finish",
              reason: "stop",
              usage: { inputTokens: {}, outputTokens: {} },
              metadata: { ollama: { doneReason: "stop" } }
            }
          ])
        })
    )
  )

  const text = "Grüße 👩‍👩‍👧 <b> & 世界 \u2028 end"
  it.effect.each([
    ["byte by byte", { chunkBytes: 1 }],
    ["in chunks that cut lines and characters", { chunkBytes: 7 }],
    ["in one chunk", { chunkBytes: 100_000 }],
    ["with carriage returns and blank lines", { lineEnd: "\r\n", blankLines: true }],
    ["one line for each character", { pieces: 100 }]
  ] satisfies ReadonlyArray<readonly [string, Reply]>)("reads a text that arrives %s", ([, reply]) =>
    withReply({ text, ...reply }, () =>
      Effect.gen(function* () {
        const answer = yield* LanguageModel.generateText({ prompt: "Hello" })
        assert.strictEqual(answer.text, text)
      })
    )
  )

  it.effect("passes tool calls on, with arguments as object or as JSON text", () =>
    withReply(
      {
        text: "Looking.",
        toolCalls: [
          { id: "call_a", name: "get_weather", arguments: { city: "Kiel" } },
          { id: "call_b", name: "get_weather", arguments: '{"city":"Bonn"}' }
        ]
      },
      () =>
        Effect.gen(function* () {
          const parts = yield* LanguageModel.streamText({
            prompt: "Weather?",
            toolkit: tools,
            disableToolCallResolution: true
          }).pipe(Stream.runCollect)
          assert.deepStrictEqual(parts.map(plain), [
            { type: "text-start", id: "text-0" },
            { type: "text-delta", id: "text-0", delta: "Looking." },
            { type: "text-end", id: "text-0" },
            ...call("call_a", "Kiel"),
            ...call("call_b", "Bonn"),
            { ...finish("tool-calls", 3), metadata: finish("stop", 3).metadata }
          ])
        }).pipe(Effect.provide(handlers))
    )
  )

  it.effect("gives a call without an id one of its own", () =>
    withReply(
      {
        toolCalls: [
          { name: "get_weather", arguments: { city: "Kiel" } },
          { id: "", name: "get_time", arguments: "" }
        ]
      },
      () =>
        Effect.gen(function* () {
          const { toolCalls, toolResults } = yield* LanguageModel.generateText({ prompt: "Weather?", toolkit: tools })
          assert.strictEqual(new Set(toolCalls.map(({ id }) => id)).size, 2)
          assert.isTrue(toolCalls.every(({ id }) => id !== ""))
          assert.deepStrictEqual(
            toolResults.map(({ id, result }): unknown => [id, result]),
            [
              [toolCalls[0]?.id, "rain in Kiel"],
              [toolCalls[1]?.id, "noon"]
            ]
          )
        }).pipe(Effect.provide(handlers))
    )
  )

  it.effect("hands on a call of an unknown tool and arguments that are no JSON, when asked to", () =>
    withReply({ toolCalls: [{ id: "call_a", name: "fly", arguments: "{to: Kiel" }] }, () =>
      Effect.gen(function* () {
        const { toolCalls } = yield* LanguageModel.generateText({
          prompt: "Fly",
          toolkit: tools,
          disableToolCallResolution: true,
          toolCallValidation: "deferred"
        })
        assert.deepStrictEqual(
          toolCalls.map(({ id, name, params }): unknown => ({ id, name, params })),
          [{ id: "call_a", name: "fly", params: "{to: Kiel" }]
        )
      }).pipe(Effect.provide(handlers))
    )
  )
})

describe("waiting", () => {
  it.effect("gives up when the first token does not come", () =>
    withReply({ hold: "never" }, (server) =>
      Effect.gen(function* () {
        const failing = yield* Effect.forkChild(Effect.flip(streamed("Hello").pipe(within({ firstWord: 0.04 }))))
        yield* server.until(({ chats }) => chats.length === 1)
        const error = yield* passTime(Fiber.join(failing), "10 millis")
        assert.strictEqual(error.message, "OllamaModel.streamText: Internal provider error: no first token within 40ms")
        yield* server.until(({ connections }) => connections() === 0)
        assert.strictEqual(server.abortedCount(), 1)
      })
    )
  )

  it.effect("counts headers without a line as silence before the first token", () =>
    withReply({ holdAfter: { lines: 0, latch: "never" }, text: "Hi" }, (server) =>
      Effect.gen(function* () {
        const failing = yield* Effect.forkChild(
          Effect.flip(streamed("Hello").pipe(within({ firstWord: 0.08, nextWord: 0.02 })))
        )
        yield* server.until(({ chats }) => chats.length === 1)
        const error = yield* passTime(Fiber.join(failing), "1 millis")
        assert.strictEqual(error.message, "OllamaModel.streamText: Internal provider error: no first token within 80ms")
      })
    )
  )

  it.effect("gives up when an answer stands still", () =>
    withReply({ text: "one two three", holdAfter: { lines: 2, latch: "never" } }, (server) =>
      Effect.gen(function* () {
        const texts: Array<string> = []
        const failing = yield* LanguageModel.streamText({ prompt: "Hello" }).pipe(
          Stream.runForEach((part) =>
            Effect.sync(() => {
              if (part.type === "text-delta") texts.push(part.delta)
            })
          ),
          within({ nextWord: 0.04 }),
          Effect.flip,
          Effect.forkChild
        )
        yield* waitFor("the tokens", () => texts.length === 2)
        const error = yield* passTime(Fiber.join(failing), "10 millis")
        assert.strictEqual(
          error.message,
          "OllamaModel.streamText: Internal provider error: no further token within 40ms"
        )
        assert.deepStrictEqual(texts, ["one", " two"])
        yield* server.until(({ connections }) => connections() === 0)
      })
    )
  )

  it.live("takes an answer whose connection stays open after its last line", () =>
    withReply({ text: "Hi", end: false }, (server) =>
      Effect.gen(function* () {
        const answer = yield* LanguageModel.generateText({ prompt: "Hello" })
        assert.strictEqual(answer.text, "Hi")
        yield* server.until(({ connections }) => connections() === 0)
      })
    )
  )
})
