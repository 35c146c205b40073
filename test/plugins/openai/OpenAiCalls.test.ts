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
const read = (body: string) =>
  Effect.gen(function* () {
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

const piece = (rest: object, name?: string, args?: unknown) => ({
  tool_calls: [
    {
      ...rest,
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
    }
  ]
})

const one = [["read", { path: "a" }]]
const two = [
  ["read", { path: "a" }],
  ["read", { path: "b" }]
]

const variants: ReadonlyArray<readonly [name: string, deltas: ReadonlyArray<object>, calls: ReadonlyArray<unknown>]> = [
  [
    "ids of their own and one index for all",
    [piece({ index: 0, id: "1" }, "read", '{"path":"a"}'), piece({ index: 0, id: "2" }, "read", '{"path":"b"}')],
    two
  ],
  [
    "one index for all, arguments in pieces",
    [
      piece({ index: 0, id: "1" }, "read", ""),
      piece({ index: 0 }, undefined, '{"path":'),
      piece({ index: 0 }, undefined, '"a"}'),
      piece({ index: 0, id: "2" }, "read", ""),
      piece({ index: 0 }, undefined, '{"path":"b"}')
    ],
    two
  ],
  [
    "one index for all, heads before arguments",
    [
      piece({ index: 0, id: "1" }, "read", ""),
      piece({ index: 0, id: "2" }, "read", ""),
      piece({ index: 0, id: "2" }, undefined, '{"path":"b"}'),
      piece({ index: 0, id: "1" }, undefined, '{"path":"a"}')
    ],
    two
  ],
  [
    "one index for all and no ids",
    [piece({ index: 0 }, "read", '{"path":"a"}'), piece({ index: 0 }, "read", '{"path":"b"}')],
    two
  ],
  ["neither index nor ids", [piece({}, "read", '{"path":"a"}'), piece({}, "read", '{"path":"b"}')], two],
  [
    "neither index nor ids, in pieces",
    [piece({}, "read", '{"path":'), piece({}, undefined, '"a"}'), piece({}, "list", "{}")],
    [...one, ["list", {}]]
  ],
  [
    "a name that each piece repeats",
    [
      piece({ index: 0, id: "1" }, "read", '{"pa'),
      piece({ index: 0, id: "1" }, "read", 'th":"a"}'),
      piece({ index: 0, id: "1" }, "read", "")
    ],
    one
  ],
  [
    "a name that each piece repeats, without ids",
    [piece({ index: 0 }, "read", '{"pa'), piece({ index: 0 }, "read", 'th":"a"}'), piece({ index: 0 }, "read", "")],
    one
  ],
  [
    "a name and a new id in each piece",
    [
      piece({ index: 0, id: "1" }, "read", ""),
      piece({ index: 0, id: "2" }, "read", '{"pa'),
      piece({ index: 0, id: "3" }, "read", 'th":"a"}')
    ],
    one
  ],
  [
    "a name in pieces",
    [
      piece({ index: 0, id: "1" }, "re", ""),
      piece({ index: 0 }, "ad", ""),
      piece({ index: 0 }, undefined, '{"path":"a"}')
    ],
    one
  ],
  ["arguments as an object", [piece({ index: 0, id: "1" }, "read", { path: "a" })], one],
  [
    "arguments as an object behind an empty one",
    [piece({ index: 0, id: "1" }, "read", {}), piece({ index: 0, id: "1" }, "read", { path: "a" })],
    one
  ],
  [
    "arguments behind an empty object",
    [
      piece({ index: 0, id: "1" }, "read", "{}"),
      piece({ index: 0 }, undefined, '{"path"'),
      piece({ index: 0 }, undefined, ':"a"}')
    ],
    one
  ],
  [
    "arguments that the last piece repeats as a whole",
    [piece({ index: 0, id: "1" }, "read", '{"path":"a"}'), piece({ index: 0 }, undefined, '{"path":"a"}')],
    one
  ],
  [
    "arguments as JSON in a string of JSON",
    [piece({ index: 0, id: "1" }, "read", JSON.stringify('{"path":"a"}'))],
    one
  ],
  [
    "one id for all calls",
    [piece({ index: 0, id: "x" }, "read", '{"path":"a"}'), piece({ index: 1, id: "x" }, "list", "{}")],
    [...one, ["list", {}]]
  ],
  [
    "numbers as ids",
    [piece({ index: 0, id: 1 }, "read", '{"path":"a"}'), piece({ index: 1, id: 2 }, "list", "{}")],
    [...one, ["list", {}]]
  ],
  [
    "no level for the function",
    [{ tool_calls: [{ index: 0, id: "1", name: "read", arguments: '{"path":"a"}' }] }],
    one
  ],
  [
    "a function call as it was before",
    [{ function_call: { name: "read", arguments: "" } }, { function_call: { arguments: '{"path":"a"}' } }],
    one
  ],
  [
    "calls one after another without arguments",
    [piece({ index: 0, id: "1" }, "list", ""), piece({ index: 0, id: "2" }, "read", '{"path":"a"}')],
    [["list", {}], ...one]
  ]
]

describe("calls that are streamed", () => {
  it.effect.each(variants)("with %s", ([, deltas, calls]) =>
    Effect.map(read(streamOf(deltas)), (answer) => assert.deepStrictEqual<unknown>(answer.calls, calls))
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
  ["one object without a reason for its end", JSON.stringify({ ...whole, choices: [{ index: 0, message }] })],
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
