import { expect, it } from "@effect/vitest"
import { notRun } from "../../../src/domain/checks/CheckOutcome.ts"
import { callBlocks, callFrame, failureLines, resultBlocks } from "../../../src/domain/models/ExecutionBlocks.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { failed, finished, gave } from "../../support/sampleTasks.ts"

const ok = (uid: string, data: string): CallOutcome => gave("read_file", { path: `${uid}.txt` }, data, uid)

const sixtyLines = (uid: string) =>
  ok(uid, Array.from({ length: 60 }, (_, at) => `${at + 1}: line ${at} of ${uid}`).join("\n"))

it("leaves out the arguments of calls that stand above", () => {
  const shown = "### Tool call read_file (a)\n\nOutput:\n\n```text\none\n```\n\n"
  expect(callBlocks([ok("a", "one")], 1000, undefined, "above")).toBe(shown)
  expect(callFrame([ok("a", "one")]) - callFrame([ok("a", "one")], "above")).toBe(
    callBlocks([ok("a", "one")], 1000).length - shown.length
  )
})

it("shows the arguments of each call and its output as text, in fences that the output cannot close", () => {
  expect(callBlocks([ok("a", "one\n```\ntwo")], 1000)).toBe(
    '### Tool call read_file (a)\n\nArguments: {"path":"a.txt"}\n\nOutput:\n\n````text\none\n```\ntwo\n````\n\n'
  )
  expect(callBlocks([failed("read_file", {}, "not_found", "There is no file a.txt.")], 1000)).toContain(
    "```text\nERROR (not_found): There is no file a.txt.\n```"
  )
})

it("shares the room among long outputs, leaves short ones whole, and never exceeds the budget", () => {
  const long = (uid: string) => ok(uid, "0123456789\n".repeat(60))
  const outcomes = [long("a"), long("b"), ok("short", "tiny")]
  const blocks = callBlocks(outcomes, 1100)
  expect(blocks).toContain("```text\ntiny\n```")
  const notes = blocks.match(/\(The prompt has no room for lines \d+ to \d+ of the 61 lines of this output\.\)/g)
  expect([notes?.length, new Set(notes).size]).toEqual([2, 1])
  expect(blocks.length).toBeLessThanOrEqual(callFrame(outcomes) + 1100)
})

it("shows the first of several long outputs where all would have next to nothing, and names the others", () => {
  const outcomes = ["a", "b", "c"].map(sixtyLines)
  const blocks = callBlocks(outcomes, 100)
  expect(blocks.length).toBeLessThanOrEqual(callFrame(outcomes) + 100)
  expect(blocks).toContain("1: line 0 of a\n2: line 1 of a\n3: line 2 of a\n4: line 3 of a\n")
  expect(blocks).toMatch(/\(Lines 1 to \d+ of 60; the prompt has no room for more\. Read on with start_line \d+\.\)/)
  expect(blocks).toMatch(
    /## Outputs without room here: .*\n\n- `read_file b\.txt`: lines 1 to 60, .*\n- `read_file c\.txt`: lines 1 to 60, /
  )
  expect(callBlocks(outcomes, 1500).match(/^1: line 0 of [abc]$/gm)).toHaveLength(3)
})

it("names calls in a line each where there is less room than for that", () => {
  const blocks = callBlocks([sixtyLines("a")], -10_000)
  expect(blocks).not.toContain("###")
  expect(blocks).toContain("- `read_file a.txt`: lines 1 to 60, output left out\n")
})

it("shows a change as a diff, and its text once", () => {
  const diff = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two"
  const given = { path: "a.txt", old_text: "one\n", new_text: "two\n" }
  expect(callBlocks([gave("edit_file", given, { path: "a.txt", diff }, "c")], 1000)).toBe(
    `### Tool call edit_file (c)\n\nArguments: {"path":"a.txt","old_text":"(see the diff)","new_text":"(see the diff)"}\n\n` +
      `Output:\n\n\`\`\`diff\npath: a.txt\n\n${diff}\n\`\`\`\n\n`
  )
})

it("lists results by task name within the budget, and says that details are not shown", () => {
  const [one, other] = [finished("Research 1", "short"), finished("Research 2", "x".repeat(50))]
  expect(resultBlocks([one, other], 25)).toBe(
    `### Research 1\n\nshort\n\n### Research 2\n\n${"x".repeat(19)}\n[only the first 19 of 50 characters are shown]\n\n`
  )
  const result = { summary: "short", document: `${one.result.document}\n\n## Details\n\nmore` }
  expect(resultBlocks([new TaskResult({ ...one, result })], 100)).toBe(
    "(Only the summaries are shown here; their details are not.)\n\n### Research 1\n\nshort\n\n"
  )
})

const denial = (path: string) => failed("read_file", { path }, "permission_denied", "Permission denied", path)

it("names what was denied, each call once, without advice for a person", () => {
  const one = finished("Research 1", "short")
  const unrun = notRun({ argv: ["npm", "test"], kind: "tests" }, "It is not allowed. Use --allow run_command.")
  const check = { ...unrun, text: "npm test: not run. It is not allowed." }
  const files = [{ path: "c", kind: "new" as const, insertions: 1, deletions: 0 }]
  const denied = new TaskResult({ ...one, calls: [denial("a"), denial("a"), denial("b")], checks: [check], files })
  expect(resultBlocks([denied], 100)).toBe(
    "### Research 1\n\nWhat the program knows:\n\n1 file changed, 1 insertion(+):\n- c (new): 1 insertion(+)\n- npm test: not run. It is not allowed.\n- denied: `read_file a`\n- denied: `read_file b`\n\nshort\n\n"
  )
  const many = new TaskResult({ ...one, calls: [1, 2, 3, 4, 5, 6, 7].map((number) => denial(`f${number}`)) })
  expect(resultBlocks([many], 100)).toContain("`read_file f5`\n- denied: 2 more calls\n")
})

it("names phase, task and reason of each failure on one line", () => {
  const failure = new TaskFailure({ task: "Research 2", phase: "refinement", reason: "no\n calls", skipped: false })
  expect(failureLines([failure])).toBe(`- Task refinement: "Research 2": no calls`)
})
