import { assert, describe, expect, it } from "@effect/vitest"
import { type TurnAnswer, parsedAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { type TurnContent, nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"

const asked = [{ id: "1", name: "read_file", arguments: { path: "a.ts" } }]
const answer: TurnAnswer = { text: "I look.", shownText: "I look.", issues: [], thinking: "Hm.", askedCalls: asked }
const empty = makeIssue("answer-empty", {}, { what: "The answer was empty." })
const written: TurnContent = { ...nothingAsked, report: "I look.", issues: [empty] }

describe("an answer with calls of the interface", () => {
  it("is no report, and what is wrong with words beside the calls does not matter", () => {
    const { content, message, native } = parsedAnswer(answer, written, true)
    assert.deepStrictEqual([content.report, content.issues], [undefined, []])
    expect(content.calls.map(({ name }) => name)).toStrictEqual(["read_file"])
    assert.deepStrictEqual([native.length, message.calls, message.thinking], [1, asked, "Hm."])
  })

  it("keeps what is wrong with changes beside the calls", () => {
    const change = { _tag: "Remove", path: "a.ts", line: 1 } as const
    assert.deepStrictEqual(parsedAnswer(answer, { ...written, changes: [change] }, true).content.issues, [empty])
  })

  it("counts as one with calls in its text where the interface was not offered", () => {
    const { content, message, native } = parsedAnswer(answer, written, false)
    assert.deepStrictEqual([native, content.calls.length, message.calls], [[], 1, []])
    assert.match(message.content, /^I look\.\n\n## Tool Calls/)
  })
})
