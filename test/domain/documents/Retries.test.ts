import { assert, describe, it } from "@effect/vitest"
import { parsedAnswer, unreadAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { isRepeated, noRetries, type Retries, retriesAfter } from "../../../src/domain/documents/Retries.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import type { PlainAnswer } from "../../../src/domain/documents/UnusableAnswer.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"

const empty = makeIssue("answer-empty", {}, { what: "The answer was empty." })
const wrongCall = makeIssue("tool-unknown", {}, { what: "There is no such tool." })

/** An answer of this text with these issues, of which nothing can be used. */
const openAnswer = (text: string, issues = [empty], more: Partial<PlainAnswer> = {}) => {
  const answer = unreadAnswer({ text, shownText: text, issues, thinking: "", askedCalls: [], ...more })
  return { answer, issues, isUnusable: true, isSentBack: false, isUnfounded: false }
}
const after = (...answers: ReadonlyArray<ReturnType<typeof openAnswer>>): Retries =>
  answers.reduce((retries, answer) => retriesAfter(retries, answer), noRetries)

describe("what was tried in vain", () => {
  it("counts answers in a row that hold nothing, or that come again, as useless", () => {
    assert.strictEqual(after(openAnswer("a"), openAnswer("b")).useless, 2)
    assert.strictEqual(after(openAnswer("a", [wrongCall])).useless, 0)
    assert.strictEqual(after(openAnswer("a", [wrongCall]), openAnswer("a", [wrongCall])).useless, 1)
  })

  it("begins to count again after an answer that can be used", () => {
    const usable = { ...openAnswer("c", []), isUnusable: false }
    const { answers, unusable, useless } = after(openAnswer("a"), openAnswer("b"), usable)
    assert.deepStrictEqual([useless, unusable, [...answers]], [0, [], ["a", "b", "c"]])
  })

  it("does not count an answer as useless from which the next one goes on", () => {
    const open = openAnswer("Which file?")
    const content = { ...open.answer.content, hasUse: true }
    const retries = after({ ...open, answer: { ...open.answer, content } })
    assert.deepStrictEqual([retries.useless, retries.unusable], [0, ["Which file?"]])
  })

  it("counts reports that were sent back, repetitions and cut thoughts", () => {
    const rejected = { ...openAnswer("r", []), isUnusable: false, isSentBack: true, isUnfounded: true }
    const thought = openAnswer("", [empty], { hasOnlyThought: true })
    const { rejectedReports, repeats, thinkingCuts, unfoundedReports } = after(rejected, rejected, thought)
    assert.deepStrictEqual([rejectedReports, unfoundedReports, repeats, thinkingCuts], [2, 2, 1, 1])
  })
})

it("an answer with calls of the interface is none that comes again, though its text is the same", () => {
  const asked = [{ id: "1", name: "read_file", arguments: { path: "a.ts" } }]
  const answer = { text: "", shownText: "", issues: [], thinking: "", askedCalls: asked }
  const retries = after(openAnswer(""))
  assert.isFalse(isRepeated(retries, parsedAnswer(answer, nothingAsked, true)))
  assert.isTrue(isRepeated(retries, openAnswer("").answer))
})
