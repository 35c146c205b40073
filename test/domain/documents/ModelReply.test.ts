import { assert, describe, it } from "@effect/vitest"
import { type ModelReply, parsedReply } from "../../../src/domain/documents/ModelReply.ts"
import { type TurnContent, nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"

const asked = [{ id: "1", name: "read_file", arguments: { path: "a.ts" } }]
const reply: ModelReply = { answer: "I look.", shown: "I look.", issues: [], thinking: "Hm.", asked }
const empty = makeIssue("answer-empty", {}, { what: "The answer was empty." })
const written: TurnContent = { ...nothingAsked, report: "I look.", issues: [empty] }

describe("a reply with calls of the interface", () => {
  it("is no report, and what is wrong with words beside the calls does not matter", () => {
    const { message, native, turn } = parsedReply(reply, written, true)
    assert.deepStrictEqual([turn.report, turn.issues], [undefined, []])
    assert.deepStrictEqual(
      turn.calls.map(({ name }) => name),
      ["read_file"]
    )
    assert.deepStrictEqual([native.length, message.calls, message.thinking], [1, asked, "Hm."])
  })

  it("keeps what is wrong with changes beside the calls", () => {
    const change = { _tag: "Remove", path: "a.ts", line: 1 } as const
    assert.deepStrictEqual(parsedReply(reply, { ...written, changes: [change] }, true).turn.issues, [empty])
  })

  it("counts as one with calls in its text where the interface was not offered", () => {
    const { message, native, turn } = parsedReply(reply, written, false)
    assert.deepStrictEqual([native, turn.calls.length, message.calls], [[], 1, []])
    assert.match(message.content, /^I look\.\n\n## Tool Calls/)
  })
})
