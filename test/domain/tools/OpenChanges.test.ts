import { assert, it } from "@effect/vitest"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { openChanges, unmadeOutcome, unreadChanges } from "../../../src/domain/tools/OpenChanges.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { replacementUid } from "../../../src/domain/tools/ToolCallFormat.ts"
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

const there = (path: string) => `There is no file at ${path}. Files with that name: src/b.ts.`
const unmade = (turn: number, given: Arguments, message = "The old_text does not occur."): CallOutcome => {
  const outcome = change(turn, false, "edit_file", given)
  return { ...outcome, result: { ...outcome.result, error_message: message } }
}
const edit = (path: string, now: string): Arguments => ({ path, old_text: "before", new_text: now })

it.each([
  ["brings a line of it elsewhere, where its path leads nowhere", there("a.ts"), "lib/c.ts", "const now = 1", 0],
  ["brings a line elsewhere, where its file is there", "It does not occur.", "lib/c.ts", "const now = 1", 1],
  ["brings another line elsewhere", there("a.ts"), "lib/c.ts", "const then = 1", 1],
  ["only has a bracket in common", there("a.ts"), "lib/c.ts", "}", 1]
] as const)("an edit that failed is open or not after a later one that %s", (_, message, path, now, open) => {
  const failed = unmade(1, edit("a.ts", "const now = 1\n}"), message)
  assert.strictEqual(openChanges([failed, change(2, true, "edit_file", edit(path, now))]).length, open)
})

it("as many edits of a file as failed in one answer are made up for by as many later ones, or one that brings a line", () => {
  const failures = [unmade(1, edit("a.ts", "first = 1")), unmade(1, edit("a.ts", "second = 2"))]
  const later = (now: string) => change(2, true, "edit_file", edit("a.ts", now))
  const open = (...changes: ReadonlyArray<CallOutcome>) => openChanges([...failures, ...changes]).length
  assert.deepStrictEqual([open(later("other = 3")), open(later("first = 1"))], [2, 1])
  assert.strictEqual(open(later("other = 3"), later("other = 4")), 0)
  assert.strictEqual(open(change(2, true, "write_file", { path: "a.ts", content: "x" })), 0)
  assert.strictEqual(open(change(1, true, "edit_file", edit("a.ts", "first = 1"))), 2)
})

it.each([
  ["brings a line of it", "after = 1", 0],
  ["only reaches its file", "other = 2", 1]
] as const)("an edit that failed is open or not after a replacement in all files that %s", (_, now, open) => {
  const replaced = gave("edit_file", edit("a.ts", now), "", `turn-2/${replacementUid("block-1", 0)}`)
  assert.strictEqual(openChanges([unmade(1, edit("a.ts", "after = 1")), replaced]).length, open)
})

it.each([
  ["a removal of the same path", "src/a.ts", "remove_file", { path: "src/a.ts" }, 0],
  ["a removal of its folder", "src/a.ts", "remove_file", { path: "src/" }, 0],
  ["a move of it", "src/a.ts", "move_file", { path: "src/a.ts", to: "b.ts" }, 0],
  ["a removal of a file of the same name", "a.ts", "remove_file", { path: "lib/a.ts" }, 0],
  ["a removal of a file that was named with the failure", "a.ts", "remove_file", { path: "src/b.ts" }, 0],
  ["a removal of another file", "a.ts", "remove_file", { path: "lib/b.ts" }, 1],
  ["an edit of the same path", "a.ts", "edit_file", edit("a.ts", "x"), 1]
] as const)("a removal that failed is open or not after %s", (_, path, name, given, open) => {
  const failed = unmade(1, { path }, there(path))
  const removal = { ...failed, call: { ...failed.call, name: "remove_file" } }
  assert.strictEqual(openChanges([removal, change(2, true, name, given)]).length, open)
})

const moved = (path: string, to: string): Arguments => ({ path, to: to })
const removesOld = ["remove_file", { path: "a.ts" }] as const
const writesNew = ["write_file", { path: "b.ts", content: "x" }] as const

it.each([
  ["a move of the same file", [["move_file", moved("a.ts", "c.ts")]], 0],
  ["a move to the same path", [["move_file", moved("c.ts", "b.ts")]], 0],
  ["another move", [["move_file", moved("c.ts", "d.ts")]], 1],
  ["the removal of the old file alone", [removesOld], 1],
  ["the removal of the old file and the new one", [removesOld, writesNew], 0]
] as const)("a move that failed is open or not after %s", (_, later, open) => {
  const failed = unmade(1, moved("a.ts", "b.ts"))
  const calls = later.map(([name, given]) => change(2, true, name, given))
  assert.strictEqual(openChanges([{ ...failed, call: { ...failed.call, name: "move_file" } }, ...calls]).length, open)
})

it("an edit that would change nothing is open only while nothing else of its file is changed", () => {
  const same = unmade(1, edit("a.ts", "before"), "The old_text and its new_text are the same.")
  const opened = (...others: ReadonlyArray<CallOutcome>) => openChanges([...others, same]).length
  assert.deepStrictEqual([opened(), opened(change(1, true, "edit_file", edit("a.ts", "after")))], [1, 0])
  assert.strictEqual(opened(change(1, true, "edit_file", edit("b.ts", "after"))), 1)
  assert.strictEqual(openChanges([same, change(2, true, "edit_file", edit("a.ts", "after"))]).length, 0)
})

it("changes that could not be read are made up for by as many later changes", () => {
  const failures = [unmade(1, {}), unmade(1, {})]
  const later = change(2, true, "edit_file", edit("a.ts", "x"))
  assert.strictEqual(openChanges([...failures, later]).length, 2)
  assert.strictEqual(openChanges([...failures, later, later]).length, 0)
})
