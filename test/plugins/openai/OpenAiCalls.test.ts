/** The pieces of calls as servers stream them, and answers that are no stream. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"

const tools = Toolkit.make(Tool.dynamic("read", { parameters: {} }), Tool.dynamic("list", { parameters: {} }))

/** The text, and the calls with their arguments, of an answer with this body. */
const read = Effect.fnUntraced(function* (body: string) {
  const server = yield* FakeOpenAi.make(() => ({ chunks: [body] }))
  const parts = yield* LanguageModel.streamText({
    prompt: "Hello",
    toolkit: tools,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  }).pipe(
    Stream.runCollect,
    Effect.provide(layerOpenAi({ model: "openai:m", contextWindow: 8192, maxAnswerTokens: 64, host: server.url }))
  )
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  assert.strictEqual(new Set(calls.map(({ id }) => id)).size, calls.length, "ids")
  const text = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")
  const thoughts = parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.delta] : [])).join("")
  return { text, thoughts, calls: calls.map(({ name, params }) => [name, params]) }
})

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const streamOf = (deltas: ReadonlyArray<object>) =>
  [
    ...deltas.map((delta) => event({ choices: [{ index: 0, delta }] })),
    event({ choices: [{ delta: {}, finish_reason: "tool_calls" }] })
  ].join("") + "data: [DONE]\n\n"

/** A piece of a call at an index; `"0#1"` is one with the id 1, and `""` says neither index nor id. */
const piece = (place: string, name?: string, args?: unknown) => {
  const [index = "", id] = place.split("#")
  return {
    tool_calls: [
      {
        ...(index === "" ? {} : { index: Number(index) }),
        ...(id === undefined ? {} : { id }),
        function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
      }
    ]
  }
}
const more = (place: string, args: unknown) => piece(place, undefined, args)

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const one = [["read", { path: "a" }]]
const two = [...one, ["read", { path: "b" }]]
const oneAndList = [...one, ["list", {}]]

const variants: ReadonlyArray<
  readonly [name: string, calls: ReadonlyArray<unknown>, ...deltas: Array<object | Array<object>>]
> = [
  [
    "one index for all, arguments in pieces",
    two,
    [piece("0#1", "read", ""), more("0", '{"path":'), more("0", '"a"}'), piece("0#2", "read", ""), more("0", b)]
  ],
  [
    "one index for all, heads before arguments",
    two,
    [piece("0#1", "read", ""), piece("0#2", "read", ""), more("0#2", b), more("0#1", a)]
  ],
  ["one index for all and no ids", two, piece("0", "read", a), piece("0", "read", b)],
  [
    "neither index nor ids, in pieces",
    oneAndList,
    [piece("", "read", '{"path":'), more("", '"a"}'), piece("", "list", "{}")]
  ],
  [
    "a name that each piece repeats, without ids",
    one,
    [piece("0", "read", '{"pa'), piece("0", "read", 'th":"a"}'), piece("0", "read", "")]
  ],
  [
    "a name and a new id in each piece",
    one,
    [piece("0#1", "read", ""), piece("0#2", "read", '{"pa'), piece("0#3", "read", 'th":"a"}')]
  ],
  ["a name in pieces", one, piece("0#1", "re", ""), piece("0", "ad", ""), more("0", a)],
  ["arguments as an object behind an empty one", one, piece("0#1", "read", {}), piece("0#1", "read", { path: "a" })],
  ["arguments as JSON in a string of JSON", one, piece("0#1", "read", JSON.stringify(a))],
  ["one id for all calls", oneAndList, piece("0#x", "read", a), piece("1#x", "list", "{}")],
  [
    "numbers as ids",
    oneAndList,
    { tool_calls: [{ index: 0, id: 1, function: { name: "read", arguments: a } }] },
    { tool_calls: [{ index: 1, id: 2, function: { name: "list", arguments: "{}" } }] }
  ],
  ["no level for the function", one, { tool_calls: [{ index: 0, id: "1", name: "read", arguments: a }] }],
  [
    "a function call as it was before",
    one,
    [{ function_call: { name: "read", arguments: "" } }, { function_call: { arguments: a } }]
  ],
  [
    "calls one after another without arguments",
    [["list", {}], ...one],
    [piece("0#1", "list", ""), piece("0#2", "read", a)]
  ]
]

describe("calls that are streamed", () => {
  it.effect.each(variants)("with %s", ([, calls, ...deltas]) =>
    Effect.map(read(streamOf(deltas.flat())), (answer) => assert.deepStrictEqual<unknown>(answer.calls, calls))
  )
})

const message = {
  role: "assistant",
  content: "Look:\nhere.",
  reasoning_content: "Hm.",
  tool_calls: [{ id: "1", type: "function", function: { name: "read", arguments: { path: "a" } } }]
}
const whole = { id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "tool_calls" }] }

const bodies: ReadonlyArray<readonly [name: string, body: string]> = [
  ["one object", JSON.stringify(whole)],
  ["one object in many lines", JSON.stringify(whole, null, 2)],
  ["one object in an event", `${event(whole)}data: [DONE]\n\n`],
  ["one object in an event without a last one", event({ ...whole, choices: [{ message }] })],
  [
    "lines of JSON",
    [
      { choices: [{ delta: { content: "Look:\n", reasoning_content: "Hm." } }] },
      { choices: [{ delta: { content: "here.", tool_calls: message.tool_calls } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] }
    ]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join("")
  ],
  [
    "pieces and the whole message behind them",
    event({ choices: [{ delta: { reasoning_content: "Hm.", content: "Look:" } }] }) +
      event({ choices: [{ delta: {}, message: { ...message, reasoning_content: null }, finish_reason: "stop" }] })
  ],
  [
    "a content of parts",
    event({
      choices: [
        {
          delta: {
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
              { type: "text", text: "Look:\nhere." }
            ],
            tool_calls: message.tool_calls
          },
          finish_reason: "stop"
        }
      ]
    })
  ]
]

describe("an answer that is written as", () => {
  it.effect.each(bodies)("%s", ([, body]) =>
    Effect.map(read(body), (answer) =>
      assert.deepStrictEqual<unknown>(answer, { text: "Look:\nhere.", thoughts: "Hm.", calls: one })
    )
  )
})
