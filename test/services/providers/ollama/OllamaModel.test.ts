import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { layerOllama } from "../../../../src/services/providers/ollama/OllamaModel.ts"
import { CallOptions } from "../../../../src/services/providers/CallOptions.ts"
import type { ModelOptions } from "../../../../src/services/providers/Provider.ts"
import { FakeOllama } from "../../../support/FakeOllama.ts"
import type { Reply } from "../../../support/FakeOllamaReply.ts"
import { liveTest } from "../../../support/liveTest.ts"
import { nodeTest } from "../../../support/nodeTest.ts"

const base = { model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }

/** What an effect gives with the model of a server that always gives this reply, and what the server got. */
const asking = Effect.fnUntraced(function* <A, E>(
  reply: Reply | string,
  ask: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<ModelOptions> = {}
) {
  const server = yield* FakeOllama.make(() => reply)
  const model = layerOllama({ ...base, host: server.url, ...options })
  return { answer: yield* Effect.provide(ask, model), chats: server.chats, requests: server.requests, server }
})

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
    expect(chats).toStrictEqual([{ ...sent, messages: [system, user] }])
    const whole = yield* asking("Hi", hello)
    expect(whole.chats).toStrictEqual([{ ...sent, messages: [user] }])
  })

  nodeTest("leaves it to a server that refuses what does not fit, which would load the model anew", function* () {
    const { shift: _, ...left } = sent
    /* With one token more, such a server has dropped what was asked, and the answer counts as cut off. */
    for (const [answerTokens, reason] of [
      [192, "stop"],
      [193, "length"]
    ] as const) {
      const { answer, chats } = yield* asking({ text: "Hi", promptTokens: 8000, answerTokens }, refusing(hello))
      expect(chats).toMatchObject([left])
      expect(chats[0]).not.toHaveProperty("shift")
      expect(answer.finishReason).toBe(reason)
    }
  })

  nodeTest("has thinking, keep-alive and the key as they are set", function* () {
    const options = { keepAlive: "2h", think: "low", apiKey: Redacted.make("secret") } as const
    const { chats, requests } = yield* asking("Hi", streamed("Hello"), options)
    const messages = [{ role: "user", content: "Hello" }]
    expect(chats).toStrictEqual([{ ...sent, keep_alive: "2h", think: "low", messages }])
    expect(
      requests.map(({ method, path, headers }) => [method, path, headers.authorization, headers["content-type"]])
    ).toStrictEqual([["POST", "/api/chat", "Bearer secret", "application/json"]])
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
    expect(chats[0]?.messages).toStrictEqual([
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
    type Offered = ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: unknown } }>
    const offered = chats.map((chat) =>
      (chat["tools"] as Offered | undefined)?.map(({ function: { name, parameters } }) => [name, parameters])
    )
    const weather = { properties: { city: { type: "string" } }, required: ["city"], additionalProperties: true }
    expect(offered).toStrictEqual([
      [
        ["get_weather", { type: "object", ...weather }],
        ["get_time", { type: "object", additionalProperties: false }]
      ],
      undefined
    ])
  })

  nodeTest("has a closed schema as format, and the object is read back", function* () {
    class Day extends Schema.Class<Day>("Day")({ rain: Schema.Boolean }) {}
    const schema = Schema.Struct({ city: Schema.String, days: Schema.Array(Day) })
    const ask = LanguageModel.generateObject({ prompt: "Forecast", schema })
    const { answer, chats } = yield* asking({ text: '{"city":"Kiel","days":[{"rain":true}]}' }, ask)
    expect(answer.value).toStrictEqual({ city: "Kiel", days: [new Day({ rain: true })] })
    const closed = { type: "object", additionalProperties: false }
    expect(chats[0]?.["format"]).toStrictEqual({
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
    expect(answer).toStrictEqual([
      { type: "reasoning-start", id: "reasoning-0" },
      { type: "reasoning-delta", id: "reasoning-0", delta: "Hm," },
      { type: "reasoning-delta", id: "reasoning-0", delta: " so." },
      { type: "reasoning-end", id: "reasoning-0" },
      ...text("text-1", "Hi", " there.\n"),
      finish("stop", 4)
    ])
    const whole = yield* Effect.provide(hello, layerOllama({ ...base, host: server.url }))
    expect(whole.content.map(plain)).toStrictEqual([
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
      expect((yield* asking(reply, streamed("Hello"))).answer).toStrictEqual(parts)
    })
  }

  nodeTest("passes tool calls on, with arguments as object or as JSON text", function* () {
    const options = { prompt: "Weather?", toolkit: tools, disableToolCallResolution: true } as const
    const toolCalls = [
      { id: "call_a", name: "get_weather", arguments: { city: "Kiel" } },
      { id: "call_b", name: "get_weather", arguments: '{"city":"Bonn"}' }
    ]
    const ask = Stream.runCollect(LanguageModel.streamText(options)).pipe(Effect.provide(handlers))
    const { answer } = yield* asking({ text: "Looking.", toolCalls }, ask)
    expect(answer.map(plain)).toStrictEqual([
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
    expect(first !== "" && second !== "" && first !== second).toBe(true)
    expect(answer.toolResults.map(({ id, result }): unknown => [id, result])).toStrictEqual([
      [first, "rain in Kiel"],
      [second, "noon"]
    ])
  })

  nodeTest("hands on a call of an unknown tool and arguments that are no JSON, when asked to", function* () {
    const ask = LanguageModel.generateText({
      prompt: "Fly",
      toolkit: tools,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }).pipe(Effect.provide(handlers))
    const { answer } = yield* asking({ toolCalls: [{ id: "call_a", name: "fly", arguments: "{to: Kiel" }] }, ask)
    expect(answer.toolCalls.map(({ id, name, params }): unknown => [id, name, params])).toStrictEqual([
      ["call_a", "fly", "{to: Kiel"]
    ])
  })
})

liveTest("an answer is taken whose connection stays open after its last line", function* () {
  const { answer, server } = yield* asking({ text: "Hi", end: false }, hello)
  expect(answer.text).toBe("Hi")
  yield* server.until(({ connections }) => connections() === 0)
})
