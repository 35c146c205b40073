import { assert, it } from "@effect/vitest"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { unmadeOutcome, unreadChanges } from "../../../src/domain/tools/OpenChanges.ts"

const marks = makeIssue("change-marks", {}, { what: "A mark is left." })
const unread = makeIssue("change-open", {}, { what: "The block has no end." })
const other = makeIssue("answer-empty", {}, { what: "The answer was empty." })

const codes = (issues: Parameters<typeof unreadChanges>[0], hasReport: boolean) =>
  unreadChanges(issues, hasReport).map(({ issue }) => issue.code)

it("counts each change that could not be read, and marks only where nothing else is certain", () => {
  assert.deepStrictEqual(codes([other], false), [])
  assert.deepStrictEqual(codes([marks, marks], false), ["change-marks"])
  assert.deepStrictEqual(codes([marks], true), [])
  assert.deepStrictEqual(codes([marks, unread, unread], true), ["change-open", "change-open"])
})

it("is a call that failed, in its turn", () => {
  const call = { uid: "call-1", name: "edit_file", arguments: { path: "a.ts" } }
  const { call: failed, result } = unmadeOutcome({ call, issue: unread }, 3)
  assert.strictEqual(failed.uid, "turn-3/call-1")
  assert.deepStrictEqual([result.success, result.error_message], [false, "The block has no end."])
})
