import { describe, expect, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { fitConversation, shortCalls } from "../../../src/domain/conversation/Conversation.ts"
import { type ConversationMessage, messageCharacters } from "../../../src/domain/models/ConversationMessage.ts"

const deep = (depth: number): Schema.Json => (depth === 0 ? "x".repeat(500) : [deep(depth - 1), { a: deep(depth - 1) }])

const oversized: ReadonlyArray<readonly [what: string, given: Schema.Json]> = [
  ["a long text", { path: "a.txt", content: "word ".repeat(40_000) }],
  ["a text of one word", { content: "x".repeat(200_000) }],
  ["a text of surrogate pairs", { content: "😀".repeat(100_000) }],
  ["many lines", { content: "line\n".repeat(40_000) }],
  [
    "many edits",
    { path: "a", edits: Array.from({ length: 3000 }, (_, n) => ({ old: `old ${n}`, new: "y".repeat(50) })) }
  ],
  ["a long list", { args: Array.from({ length: 50_000 }, (_, n) => n) }],
  ["a list of long texts", { args: Array.from({ length: 400 }, () => "x".repeat(500)) }],
  ["many fields", Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`field-${n}`, "value of it"]))],
  ["long names of fields", { ["x".repeat(100_000)]: 1, ["y".repeat(100_000)]: 2 }],
  ["nested values", deep(8)],
  ["a text in place of arguments", "x".repeat(200_000)],
  ["a list in place of arguments", Array.from({ length: 40_000 }, () => "x")]
]

const limit = 20_000

const result = (error_message: string | null, data: Schema.Json = null) => ({
  success: error_message === null,
  data,
  error_message,
  error_type: error_message === null ? ("none" as const) : ("validation_failed" as const),
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 }
})

const talk = (given: Schema.Json, answer: ReturnType<typeof result>): ReadonlyArray<ConversationMessage> => [
  { role: "user", content: "Write it." },
  { role: "assistant", content: "", thinking: "", calls: [{ id: "1", name: "write_file", arguments: given }] },
  { role: "tool", id: "1", name: "write_file", result: answer }
]

const sizeOf = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

describe("an oversized call", () => {
  it.each(oversized)("is shortened so that the conversation goes on: %s", (_what, given) => {
    const { messages } = fitConversation(talk(given, result(null, "Written: 3 lines.")), limit)
    expect(sizeOf(messages)).toBeLessThanOrEqual(limit)
    expect(messages[2]).toMatchObject({ result: { data: "Written: 3 lines." } })
    const [call] = messages[1]?.role === "assistant" ? messages[1].calls : []
    expect([call?.id, call?.name]).toEqual(["1", "write_file"])
    expect(JSON.stringify(call?.arguments)).toMatch(/call was made with|with which the call was made|more are left out/)
    expect(JSON.stringify(call?.arguments).isWellFormed()).toBe(true)
  })

  it.each(oversized)("leaves room when its error quotes it: %s", (_what, given) => {
    const error = `The argument does not fit: ${JSON.stringify(given)}`
    const { messages } = fitConversation(talk(given, result(error)), limit)
    expect(sizeOf(messages)).toBeLessThanOrEqual(limit)
    expect(messages[2]).toMatchObject({
      result: {
        error_message: expect.stringMatching(/^The argument does not fit: .*characters; the rest is left out\.\]$/s)
      }
    })
  })

  it("is shown whole where there is room, and the shorter arguments of a call stay", () => {
    const small = talk({ path: "a.txt", content: "x".repeat(5000) }, result(null, "Done."))
    expect(fitConversation(small, limit).messages).toEqual(small)
    const [call] = shortCalls(
      [{ id: "1", name: "write_file", arguments: { path: "a.txt", content: "x".repeat(50_000) } }],
      5000
    )
    expect(call?.arguments).toMatchObject({ path: "a.txt" })
  })

  it("is shortened before a later one", () => {
    const [first, second] = ["a", "b"].map((name) => talk({ content: name.repeat(12_000) }, result(null, "Done.")))
    const { messages } = fitConversation([...first!, ...second!], limit)
    expect(messages[4]).toEqual(second![1])
    expect(messages[1]).not.toEqual(first![1])
  })
})
