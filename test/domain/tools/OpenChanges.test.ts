import { assert, it } from "@effect/vitest"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { openChanges, unmadeOutcome, unreadChanges } from "../../../src/domain/tools/OpenChanges.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { gave } from "../../support/sampleTasks.ts"

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

/** A change of a turn, made or failed. */
const change = (turn: number, success: boolean, name: string, given: Arguments): CallOutcome => {
  const outcome = gave(name, given, "", `turn-${turn}/change-1`)
  return { ...outcome, result: { ...outcome.result, success, error_message: success ? null : "It cannot be done." } }
}

const replacement = change(1, false, "edit_file", { path: ".env", old_text: "old", new_text: "now", replace_all: true })

it.each([
  ["a later edit of another line", { path: ".env", old_text: "a", new_text: "b" }, "edit_file", 1],
  ["a later edit that brings the new text", { path: ".env", old_text: "an old one", new_text: "now" }, "edit_file", 0],
  ["a later edit of another file", { path: "a.env", old_text: "old", new_text: "now" }, "edit_file", 1],
  ["the whole file", { path: ".env", content: "all" }, "write_file", 0]
] as const)("a replacement in one file that failed is open or not after %s", (_, given, name, open) => {
  assert.strictEqual(openChanges([replacement, change(2, true, name, given)]).length, open)
})
