import { assert, describe, it } from "@effect/vitest"
import {
  hostAnswer,
  stopped,
  withUniqueIds,
  capOutputs,
  fitConversation
} from "../../../src/domain/conversation/Conversation.ts"
import {
  type ConversationMessage,
  messageCharacters,
  type ToolMessage
} from "../../../src/domain/models/ConversationMessage.ts"

const result = (data: ToolMessage["result"]["data"], error: string | null = null): ToolMessage["result"] => ({
  success: error === null,
  data,
  error_message: error,
  error_type: error === null ? "none" : "io_error",
  metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 0 }
})
const tool = (id: string, length: number): ToolMessage => ({
  role: "tool",
  id,
  name: "read_file",
  result: result(id.repeat(length))
})
const user = (content: string): ConversationMessage => ({ role: "user", content })
const calls = (...ids: ReadonlyArray<string>): ConversationMessage => ({
  role: "assistant",
  content: "",
  thinking: "thought",
  calls: ids.map((id) => ({ id, name: "read_file", arguments: {} }))
})

const sizeOf = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

describe("a conversation that is too long", () => {
  const messages = [
    user("u".repeat(500)),
    calls("a"),
    tool("a", 2000),
    calls("b", "c"),
    tool("b", 3000),
    tool("c", 100)
  ]

  it("stays as it is while it fits", () => {
    assert.deepStrictEqual(fitConversation(messages, sizeOf(messages)), { messages, leftOut: [] })
  })

  it("loses what the model has seen before, and says so", () => {
    const { leftOut, messages: fitted } = fitConversation(messages, sizeOf(messages) - 1)
    assert.deepStrictEqual(leftOut, ["read_file"])
    assert.deepStrictEqual(fitted, [
      ...messages.slice(0, 2),
      {
        ...tool("a", 0),
        result: result(
          "[This output of 2000 characters is left out to make room. Call read_file again if you still need it.]"
        )
      },
      ...messages.slice(3)
    ])
  })

  it("shortens what is new last, the long outputs first, and keeps the person's words for any budget", () => {
    for (const budget of [3000, 2000, 1500, 0]) {
      const { messages: fitted } = fitConversation(messages, budget)
      assert.deepStrictEqual([fitted[0], fitted.length], [messages[0], messages.length])
      if (budget >= 2000) {
        assert.isAtMost(sizeOf(fitted), budget)
        assert.deepStrictEqual(fitted[5], tool("c", 100))
        assert.match(JSON.stringify(fitted[4]), /The first \d+ of 3000 characters of this line/)
        assert.notInclude(JSON.stringify(fitted), "thought")
      }
    }
  })

  it("counts characters as they are sent, and names the lines that are left out", () => {
    const lines = Array.from({ length: 400 }, (_, index) => `${index + 100}: "line"`).join("\n")
    const [short] = capOutputs([{ ...tool("x", 0), result: result(lines) }], 2000)
    assert.isDefined(short)
    const size = messageCharacters(short!)
    assert.isAtMost(size, 2000)
    assert.isAtLeast(size, 1800)
    assert.match(
      String(short!.result.data),
      /\(Lines 100 to \d+ of 499; the prompt has no room for more\. Read on with start_line \d+\.\)$/
    )
  })

  it("leaves failures as they are", () => {
    const failed: ToolMessage = { ...tool("x", 0), result: result(null, "No such file.") }
    assert.deepStrictEqual(capOutputs([failed], 0), [failed])
  })
})

describe("a conversation that was stopped", () => {
  it("gets a result for every call, in their order, and words in the place of the answer", () => {
    const asked = [user("u"), calls("a", "b"), tool("b", 1)]
    const whole = stopped(asked, "", 7)
    assert.deepStrictEqual(
      whole.map((message) => (message.role === "tool" ? `${message.id} ${message.result.success}` : message.role)),
      ["user", "assistant", "a false", "b true", "assistant"]
    )
    assert.deepStrictEqual(whole.at(-1), hostAnswer("(The person stopped this answer.)"))
  })

  it("keeps what was heard of the answer", () => {
    assert.deepStrictEqual(stopped([user("u")], "Half a", 7), [
      user("u"),
      hostAnswer("Half a\n\n(The person stopped this answer.)")
    ])
  })
})

describe("ids of calls", () => {
  it("are made unlike each other and unlike those before", () => {
    const given = ["a", "a", "b", "a-2"].map((id) => ({ id, name: "x", arguments: {} }))
    assert.deepStrictEqual(
      withUniqueIds(given, [tool("a", 1)]).map(({ id }) => id),
      ["a-2", "a-3", "b", "a-2-2"]
    )
  })
})
