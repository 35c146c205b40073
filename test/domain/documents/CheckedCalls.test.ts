import { assert, it } from "@effect/vitest"
import {
  answerIssues,
  callReplies,
  type CheckedCalls,
  droppedChanges,
  isFaultless,
  withoutDoubles
} from "../../../src/domain/documents/CheckedCalls.ts"
import { parsedAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { gave } from "../../support/sampleTasks.ts"

const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
const edit = { uid: "call-2", name: "edit_file", arguments: { path: "a.ts" } }
const wrong = makeIssue("tool-unknown", {}, { what: "There is no such tool." })
const tooMany = [makeIssue("tool-calls-many", {}, { what: "Too many." })]
const asked = [{ id: "1", name: "read_file", arguments: { path: "a.ts" } }]
const answer = { text: "", shownText: "", issues: [], thinking: "", askedCalls: asked }
const native = parsedAnswer(answer, nothingAsked, true)
const inText = parsedAnswer({ ...answer, askedCalls: [] }, { ...nothingAsked, calls: [call] }, true)

const checked = (more: Partial<CheckedCalls> = {}): CheckedCalls => ({
  calls: [{ wanted: call, call, issues: [], repairs: [] }],
  issues: [],
  unmade: [],
  tooMany: [],
  replaced: [],
  repairs: [],
  ...more
})
const refused = checked({ calls: [{ wanted: call, call, issues: [wrong], repairs: [] }] })

it("the issues of an answer hold those of calls in the text, and not those of calls of the interface", () => {
  const issues = [inText, native].map((one) => answerIssues(one, refused))
  assert.deepStrictEqual(issues, [[wrong], []])
  const many = [inText, native].map((one) => answerIssues(one, checked({ tooMany })))
  assert.deepStrictEqual(many, [tooMany, []])
})

it("the issues of an answer are none only when each call can be made", () => {
  const each = [checked(), refused, checked({ tooMany })].map((calls) => isFaultless(native, calls))
  assert.deepStrictEqual(each, [true, false, false])
})

it("a call of the interface gets a reply with its outcome, its own issues, or why it was not made", () => {
  const outcome = gave("read_file", { path: "a.ts" }, "text", "turn-2/call-1")
  const replyTo = (calls: CheckedCalls) => callReplies(native, calls, [outcome], 2)[0]
  assert.strictEqual(replyTo(checked())?.outcome, outcome)
  assert.deepStrictEqual(replyTo(checked({ calls: [], tooMany }))?.issues, tooMany)
  assert.deepStrictEqual(callReplies(native, refused, [], 2)[0]?.issues, [wrong])
})

it("a call that is written twice is made once, where it was written first", () => {
  const again = { ...call, uid: "call-3" }
  assert.deepStrictEqual(withoutDoubles([[call], [again], [edit, again]]), [[call], [edit]])
})

it("changes that are not made stay open; other calls do not", () => {
  const beyond = [edit, call].map((one) => ({ call: one, issue: wrong }))
  assert.deepStrictEqual(droppedChanges(refused.calls, beyond, nothingAsked), [{ call: edit, issue: wrong }])
  const unread = makeIssue("change-marks", {}, { what: "A mark is left." })
  const dropped = droppedChanges([], [], { ...nothingAsked, issues: [unread] })
  assert.deepStrictEqual(dropped.map(({ issue }) => issue.code).join(), "change-marks")
})
