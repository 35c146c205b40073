import { expect, it } from "@effect/vitest"
import { openChanges } from "../../../src/domain/tools/OpenChanges.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { gave } from "../../support/sampleTasks.ts"

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
  expect(openChanges([replacement, change(2, true, name, given)])).toHaveLength(open)
})
