import { assert, describe, it } from "@effect/vitest"
import { writesOf, type Reply } from "./FakeOllamaReply.ts"
import { type ChatBody, inOrder, match } from "./FakeOllamaScript.ts"

const bytesOf = (reply: Reply) =>
  writesOf("qwen3:8b", reply)
    .map((write) => ("bytes" in write ? Buffer.from(write.bytes).toString() : `(${write.latch})`))
    .join("")

const body = (...contents: ReadonlyArray<string>): ChatBody => ({
  model: "qwen3:8b",
  messages: contents.map((content) => ({ role: "user", content }))
})

const line = (content: string) =>
  `{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":"${content}"},"done":false}\r\n\r\n`

describe("the bytes of a reply", () => {
  it("are those that Ollama writes", () => {
    assert.strictEqual(
      bytesOf({
        thinking: "Hm.",
        text: "a <b>",
        toolCalls: [{ id: "call_1", name: "get_time", arguments: { zone: "UTC" } }]
      }),
      [
        '{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}',
        '{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":"a"},"done":false}',
        '{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":" \\u003cb\\u003e"},"done":false}',
        '{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"get_time","arguments":{"zone":"UTC"}}}]},"done":false}',
        '{"model":"qwen3:8b","created_at":"2025-11-20T09:30:00.123456789Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":1500000000,"load_duration":250000000,"prompt_eval_count":26,"prompt_eval_duration":130000000,"eval_count":4,"eval_duration":1000000000}',
        ""
      ].join("\n")
    )
  })

  it("say nothing that is left out, and wait where they are told to", () => {
    assert.strictEqual(
      bytesOf({
        text: "one two",
        holdAfter: { lines: 1, latch: "here" },
        errorLine: "gone",
        lineEnd: "\r\n",
        blankLines: true
      }),
      `${line("one")}(here)${line(" two")}{"error":"gone"}\r\n\r\n`
    )
  })

  it("keep every character, however the text is cut", () => {
    const text = "  Grüße\n\n👩‍👩‍👧 end  \n"
    for (const pieces of [undefined, 1, 2, 3, 7, 100]) {
      const written = bytesOf({ text, ...(pieces === undefined ? {} : { pieces }) })
      const read = written
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).message.content)
        .join("")
      assert.strictEqual(read, text)
    }
  })
})

describe("a script", () => {
  it("chooses by the messages", () => {
    const script = match(
      ["plan", "a plan"],
      [(messages) => messages.length === 2, (_, index) => ({ text: `reply ${index}` })]
    )
    assert.deepStrictEqual(script(body("make a plan"), 0), "a plan")
    assert.deepStrictEqual(script(body("a", "b"), 3), { text: "reply 3" })
    assert.deepStrictEqual(script(body("else"), 0), { status: 500, error: "no scripted reply for: else" })
  })

  it("gives its replies in order, the last one again and again", () => {
    const script = inOrder("one", { status: 503 })
    assert.deepStrictEqual(
      [0, 1, 2].map((index) => script(body("x"), index)),
      ["one", { status: 503 }, { status: 503 }]
    )
  })
})
