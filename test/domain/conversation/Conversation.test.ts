import { assert, describe, it } from "@effect/vitest"
import {
  answeredWith,
  conversationMarkdown,
  compactedMessages,
  hostAnswer,
  messagesToKeep,
  stopped
} from "../../../src/domain/conversation/Conversation.ts"
import { type ConversationMessage, fromHost } from "../../../src/domain/models/ConversationMessage.ts"

const user = (content: string): ConversationMessage => ({ role: "user", content })
const calls = (...ids: ReadonlyArray<string>): ConversationMessage => ({
  role: "assistant",
  content: "",
  thinking: "Hm.",
  calls: ids.map((id) => ({ id, name: "x", arguments: {} }))
})

describe("a conversation that was stopped", () => {
  it("gets a result for every call, in their order, and words in the place of the answer", () => {
    const whole = stopped([user("u"), calls("a", "b")], "")
    assert.deepStrictEqual(
      whole.map((message) => (message.role === "tool" ? `${message.id} ${message.result.success}` : message.role)),
      ["user", "assistant", "a false", "b false", "assistant"]
    )
    assert.deepStrictEqual(whole.at(-1), hostAnswer("(The user stopped this answer.)"))
  })

  it("gets a reply to calls that were written as text", () => {
    const roles = stopped([user("u"), hostAnswer("## Tool Calls")], "").map(({ role }) => role)
    assert.deepStrictEqual(roles, ["user", "assistant", "user", "assistant"])
  })

  it("keeps what was heard of the answer", () => {
    const half = hostAnswer("Half a\n\n(The user stopped this answer.)")
    assert.deepStrictEqual(stopped([user("u")], "Half a"), [user("u"), half])
  })
})

it("a conversation that is too long keeps every message of the user, and the answers as far as there is room", () => {
  const asked = [hostAnswer("## Tool Calls"), fromHost("## Reply 1")]
  const long = [user("One?"), ...asked, hostAnswer(`First. ${"x".repeat(500)}`), user("Two?"), ...asked]
  const [one, first, ...others] = compactedMessages(long, "What is known.", 100)
  assert.deepStrictEqual([one, ...others], [user("One?"), user("Two?"), fromHost("What is known.")])
  assert.isBelow(first?.role === "assistant" ? first.content.length : Infinity, 200)
})

it("a conversation of a usual size is kept whole without thoughts", () => {
  assert.deepStrictEqual(messagesToKeep([user("u"), calls("a")]), [
    user("u"),
    Object.assign({}, calls("a"), { thinking: "" })
  ])
})

it("shows a person what they said and what was answered", () => {
  const messages = [user("Why?"), hostAnswer("So."), fromHost("## Reply 1"), hostAnswer("Because.")]
  assert.strictEqual(
    conversationMarkdown(messages, { model: "m", project: "/p" }),
    "# Conversation\n\nWith m, about /p.\n\n## You\n\nWhy?\n\n## Answer\n\nSo.\n\n## Answer\n\nBecause.\n"
  )
})

it("has the answer of the host in the place of what the model said last", () => {
  const answered = answeredWith([user("u"), hostAnswer("Done.")], "Nothing was changed.")
  assert.deepStrictEqual(answered, [user("u"), hostAnswer("Nothing was changed.")])
  assert.lengthOf(answeredWith([user("u"), fromHost("Go on.")], "(Stopped.)"), 3)
})
