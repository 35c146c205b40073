import { assert, describe } from "@effect/vitest"
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
import { liveTest } from "../../../support/liveTest.ts"
import { nodeTest } from "../../../support/nodeTest.ts"
import { passTime } from "../../../support/passTime.ts"
import { waitFor } from "../../../support/waitFor.ts"

const base = { model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }

/** A server that always gives this reply, and the model that asks it. */
const serving = Effect.fnUntraced(function* (reply: Reply | string, options: Partial<ModelOptions> = {}) {
  const server = yield* FakeOllama.make(() => reply)
  return { server, model: layerOllama({ ...base, host: server.url, ...options }) }
})

/** What an effect gives with the model of a server that always gives this reply, and what the server got. */
const asking = Effect.fnUntraced(function* <A, E>(
  reply: Reply | string,
  ask: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<ModelOptions> = {}
) {
  const { model, server } = yield* serving(reply, options)
  return { answer: yield* Effect.provide(ask, model), chats: server.chats, requests: server.requests, server }
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

const hello = LanguageModel.generateText({ prompt: "Hello" })
const refusing = Effect.provideService(CallOptions, { sampling: {}, refusesLong: true })

describe("what is sent", () => {
  const conversation: Prompt.RawInput = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hello" }] }
  ]

  nodeTest("is a stream with a fixed window, a bounded answer, and nothing cut in silence", function* () {
    const user = { role: "user", content: "Hello" }
    const system = { role: "system", content: "Be brief." }
    const { chats } = yield* asking("Hi", streamed(conversation))
    assert.deepStrictEqual(chats, [{ ...sent, messages: [system, user] }])
    const whole = yield* asking("Hi", hello)
    assert.deepStrictEqual(whole.chats, [{ ...sent, messages: [user] }])
  })

  nodeTest(
    "leaves it to a server that refuses what does not fit, since asking would load the model anew",
    function* () {
      const { shift: _, ...left } = sent
      /* With one token more, such a server has dropped what was asked, and the answer counts as cut off. */
      for (const [answerTokens, reason] of [
        [192, "stop"],
        [193, "length"]
      ] as const) {
        const { answer, chats } = yield* asking({ text: "Hi", promptTokens: 8000, answerTokens }, refusing(hello))
        assert.containsSubset(chats, [left])
        assert.notProperty(chats[0], "shift")
        assert.strictEqual(answer.finishReason, reason)
      }
    }
  )

  nodeTest("has thinking, keep-alive and the key as they are set", function* () {
    const options = { keepAlive: "2h", think: "low", apiKey: Redacted.make("secret") } as const
    const { chats, requests } = yield* asking("Hi", streamed("Hello"), options)
    const messages = [{ role: "user", content: "Hello" }]
    assert.deepStrictEqual(chats, [{ ...sent, keep_alive: "2h", think: "low", messages }])
    assert.deepStrictEqual(
      requests.map(({ method, path, headers }) => [method, path, headers.authorization, headers["content-type"]]),
      [["POST", "/api/chat", "Bearer secret", "application/json"]]
    )
  })

  nodeTest("is a conversation with thinking, tool calls and their results", function* () {
    const called = streamed([
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
    const { chats } = yield* asking("Rain.", called)
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

  nodeTest("has the tools that may be called", function* () {
    const ask = LanguageModel.generateText({ prompt: "Hello", toolkit: tools }).pipe(Effect.provide(handlers))
    const { chats } = yield* asking("Hi", Effect.andThen(ask, hello))
    assert.deepStrictEqual(
      chats.map((chat) => chat["tools"]),
      [sentTools, undefined]
    )
  })

  nodeTest("has a closed schema as format, and the object is read back", function* () {
    class Day extends Schema.Class<Day>("Day")({ rain: Schema.Boolean }) {}
    const schema = Schema.Struct({ city: Schema.String, days: Schema.Array(Day) })
    const ask = LanguageModel.generateObject({ prompt: "Forecast", schema })
    const { answer, chats } = yield* asking({ text: '{"city":"Kiel","days":[{"rain":true}]}' }, ask)
    assert.deepStrictEqual(answer.value, { city: "Kiel", days: [new Day({ rain: true })] })
    const closed = { type: "object", additionalProperties: false }
    assert.deepStrictEqual(chats[0]?.["format"], {
      ...closed,
      properties: { city: { type: "string" }, days: { type: "array", items: { $ref: "#/$defs/DayEncoded" } } },
      required: ["city", "days"],
      $defs: { DayEncoded: { ...closed, properties: { rain: { type: "boolean" } }, required: ["rain"] } }
    })
  })
})

const text = (id: string, ...deltas: ReadonlyArray<string>) => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
  { type: "text-end", id }
]
const call = (id: string, city: string) => [
  { type: "tool-call", id, name: "get_weather", params: { city }, providerExecuted: false }
]

describe("what comes back", () => {
  nodeTest("keeps thinking apart from text, with counts and durations at the end", function* () {
    const { answer, server } = yield* asking({ thinking: "Hm, so.", text: "Hi there.\n" }, streamed("Hello"))
    assert.deepStrictEqual(answer, [
      { type: "reasoning-start", id: "reasoning-0" },
      { type: "reasoning-delta", id: "reasoning-0", delta: "Hm," },
      { type: "reasoning-delta", id: "reasoning-0", delta: " so." },
      { type: "reasoning-end", id: "reasoning-0" },
      ...text("text-1", "Hi", " there.\n"),
      finish("stop", 4)
    ])
    const whole = yield* Effect.provide(hello, layerOllama({ ...base, host: server.url }))
    assert.deepStrictEqual(whole.content.map(plain), [
      { type: "reasoning", text: "Hm, so." },
      { type: "text", text: "Hi there.\n" },
      finish("stop", 4)
    ])
  })

  const noUsage = { type: "finish", usage: { inputTokens: {}, outputTokens: {} } }
  const odd = [
    '{"message":{"role":"assistant","content":"Hi","thinking":null,"tool_calls":null},"created_at":"yesterday","done":false}\n',
    '{"done":true,"done_reason":"stop","prompt_eval_count":-1,"eval_count":"many","total_duration":1e99}\n'
  ]
  const ends: ReadonlyArray<readonly [name: string, reply: Reply, parts: ReadonlyArray<unknown>]> = [
    ["length", { text: "Hi", doneReason: "length" }, [...text("text-0", "Hi"), finish("length", 1)]],
    ["nothing at all", { text: "" }, [finish("stop", 0)]],
    ["loading only", { doneReason: "load" }, [{ ...finish("other", 0), metadata: finish("load", 0).metadata }]],
    [
      "no reason and no statistics",
      { doneReason: null, stats: false },
      [{ ...noUsage, reason: "unknown", metadata: { ollama: {} } }]
    ],
    [
      "odd statistics, which lose no answer",
      { chunks: odd },
      [...text("text-0", "Hi"), { ...noUsage, reason: "stop", metadata: { ollama: { doneReason: "stop" } } }]
    ]
  ]
  for (const [name, reply, parts] of ends) {
    nodeTest(`ends with ${name}`, function* () {
      assert.deepStrictEqual((yield* asking(reply, streamed("Hello"))).answer, parts)
    })
  }

  nodeTest("is the same text however it arrives", function* () {
    const said = "Grüße 👩‍👩‍👧 <b> & 世界 \u2028 end"
    for (const way of [{ chunkBytes: 1 }, { lineEnd: "\r\n", blankLines: true }, { pieces: 100 }] as const) {
      assert.strictEqual((yield* asking({ text: said, ...way }, hello)).answer.text, said)
    }
  })

  nodeTest("passes tool calls on, with arguments as object or as JSON text", function* () {
    const options = { prompt: "Weather?", toolkit: tools, disableToolCallResolution: true } as const
    const toolCalls = [
      { id: "call_a", name: "get_weather", arguments: { city: "Kiel" } },
      { id: "call_b", name: "get_weather", arguments: '{"city":"Bonn"}' }
    ]
    const ask = Stream.runCollect(LanguageModel.streamText(options)).pipe(Effect.provide(handlers))
    const { answer } = yield* asking({ text: "Looking.", toolCalls }, ask)
    assert.deepStrictEqual(answer.map(plain), [
      ...text("text-0", "Looking."),
      ...call("call_a", "Kiel"),
      ...call("call_b", "Bonn"),
      { ...finish("tool-calls", 3), metadata: finish("stop", 3).metadata }
    ])
  })

  nodeTest("gives a call without an id one of its own", function* () {
    const toolCalls = [
      { name: "get_weather", arguments: { city: "Kiel" } },
      { id: "", name: "get_time", arguments: "" }
    ]
    const ask = LanguageModel.generateText({ prompt: "Weather?", toolkit: tools }).pipe(Effect.provide(handlers))
    const { answer } = yield* asking({ toolCalls }, ask)
    const [first = "", second = ""] = answer.toolCalls.map(({ id }) => id)
    assert.isTrue(first !== "" && second !== "" && first !== second)
    assert.deepStrictEqual(
      answer.toolResults.map(({ id, result }): unknown => [id, result]),
      [
        [first, "rain in Kiel"],
        [second, "noon"]
      ]
    )
  })

  nodeTest("hands on a call of an unknown tool and arguments that are no JSON, when asked to", function* () {
    const ask = LanguageModel.generateText({
      prompt: "Fly",
      toolkit: tools,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }).pipe(Effect.provide(handlers))
    const { answer } = yield* asking({ toolCalls: [{ id: "call_a", name: "fly", arguments: "{to: Kiel" }] }, ask)
    assert.deepStrictEqual(
      answer.toolCalls.map(({ id, name, params }): unknown => [id, name, params]),
      [["call_a", "fly", "{to: Kiel"]]
    )
  })
})

describe("waiting", () => {
  const provider = "OllamaModel.streamText: Internal provider error:"

  nodeTest("gives up when the first token does not come, or only the headers", function* () {
    for (const [reply, seconds, step, limit] of [
      [{ hold: "never" }, { firstWord: 0.04 }, "10 millis", "40ms"],
      [{ holdAfter: { lines: 0, latch: "never" }, text: "Hi" }, { firstWord: 0.08, nextWord: 0.02 }, "1 millis", "80ms"]
    ] as const) {
      const { model, server } = yield* serving(reply)
      const ask = streamed("Hello").pipe(within(seconds), Effect.provide(model))
      const failing = yield* Effect.forkChild(Effect.flip(ask))
      yield* server.until(({ chats }) => chats.length === 1)
      const error = yield* passTime(Fiber.join(failing), step)
      assert.strictEqual(error.message, `${provider} no first token within ${limit}`)
      yield* server.until(({ connections }) => connections() === 0)
      assert.strictEqual(server.abortedCount(), 1)
    }
  })

  nodeTest("gives up when an answer stands still", function* () {
    const { model, server } = yield* serving({ text: "one two three", holdAfter: { lines: 2, latch: "never" } })
    const texts: Array<string> = []
    const failing = yield* LanguageModel.streamText({ prompt: "Hello" }).pipe(
      Stream.runForEach((part) =>
        Effect.sync(() => {
          if (part.type === "text-delta") texts.push(part.delta)
        })
      ),
      within({ nextWord: 0.04 }),
      Effect.provide(model),
      Effect.flip,
      Effect.forkChild
    )
    yield* waitFor("the tokens", () => texts.length === 2)
    const error = yield* passTime(Fiber.join(failing), "10 millis")
    assert.strictEqual(error.message, `${provider} no further token within 40ms`)
    assert.deepStrictEqual(texts, ["one", " two"])
    yield* server.until(({ connections }) => connections() === 0)
  })

  liveTest("takes an answer whose connection stays open after its last line", function* () {
    const { answer, server } = yield* asking({ text: "Hi", end: false }, hello)
    assert.strictEqual(answer.text, "Hi")
    yield* server.until(({ connections }) => connections() === 0)
  })
})
