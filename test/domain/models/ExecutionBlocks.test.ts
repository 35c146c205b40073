import { expect, it } from "@effect/vitest"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { callBlocks, callFrame, failureLines, resultBlocks } from "../../../src/domain/models/ExecutionBlocks.ts"
import { Task } from "../../../src/domain/plan/Task.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { CallOutcome, ToolResult } from "../../../src/domain/tools/ToolCall.ts"

const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 0 }

const ok = (uid: string, data: string): CallOutcome => ({
  call: { uid, name: "read_file", arguments: { path: `${uid}.txt` } },
  result: { success: true, data, error_message: null, error_type: "none", metadata }
})

const sixtyLines = (uid: string) =>
  ok(uid, Array.from({ length: 60 }, (_, at) => `${at + 1}: line ${at} of ${uid}`).join("\n"))

const failed: ToolResult = {
  success: false,
  data: null,
  error_message: "There is no file a.txt.",
  error_type: "not_found",
  metadata
}

const finished = (name: string, summary: string): TaskResult =>
  new TaskResult({
    task: new Task({
      name,
      whatIsNeeded: "x",
      skill: "s",
      references: [],
      expectedOutput: "y",
      requiresApproval: false,
      codeBlocks: []
    }),
    calls: [],
    result: { summary, document: `## Result summary\n\n${summary}` }
  })

it("leaves out the arguments of calls that stand above", () => {
  const shown = "### Tool call read_file (a)\n\nOutput:\n\n```text\none\n```\n\n"
  expect(callBlocks([ok("a", "one")], 1000, undefined, "above")).toBe(shown)
  expect(callFrame([ok("a", "one")]) - callFrame([ok("a", "one")], "above")).toBe(
    callBlocks([ok("a", "one")], 1000).length - shown.length
  )
})

it("shows the arguments of each call and its output as text, in fences that the output cannot close", () => {
  expect(callBlocks([ok("a", "one\n```\ntwo")], 1000)).toBe(
    `### Tool call read_file (a)

Arguments: {"path":"a.txt"}

Output:

\`\`\`\`text
one
\`\`\`
two
\`\`\`\`

`
  )
})

it("shows the error of a call that failed", () => {
  const [call] = [ok("a", "")]
  expect(callBlocks([{ call: call!.call, result: failed }], 1000)).toContain(
    "```text\nERROR (not_found): There is no file a.txt.\n```"
  )
})

it("shares the room among long outputs, leaves short ones whole, and never exceeds the budget", () => {
  const long = (uid: string) => ok(uid, "0123456789\n".repeat(60))
  const outcomes = [long("a"), long("b"), ok("short", "tiny")]
  const blocks = callBlocks(outcomes, 1100)
  expect(blocks).toContain("```text\ntiny\n```")
  const notes = [
    ...blocks.matchAll(/\(The prompt has no room for lines (\d+) to (\d+) of the 61 lines of this output\.\)/g)
  ]
  expect(notes).toHaveLength(2)
  expect(notes[0]?.[0]).toBe(notes[1]?.[0])
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
  expect(blocks).toContain("- `read_file a.txt`: lines 1 to 60, not shown here\n")
})

it("shows a change as a diff, and its text once", () => {
  const diff = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two"
  const call = { uid: "c", name: "edit_file", arguments: { path: "a.txt", old_text: "one\n", new_text: "two\n" } }
  const result: ToolResult = {
    success: true,
    data: { path: "a.txt", diff },
    error_message: null,
    error_type: "none",
    metadata
  }
  expect(callBlocks([{ call, result }], 1000)).toBe(
    `### Tool call edit_file (c)\n\nArguments: {"path":"a.txt","old_text":"(see the diff)","new_text":"(see the diff)"}\n\n` +
      `Output:\n\n\`\`\`diff\npath: a.txt\n\n${diff}\n\`\`\`\n\n`
  )
})

it("lists results by task name within the budget", () => {
  expect(resultBlocks([finished("Research 1", "short"), finished("Research 2", "x".repeat(50))], 25)).toBe(
    `### Research 1\n\nshort\n\n### Research 2\n\n${"x".repeat(19)}\n[only the first 19 of 50 characters are shown]\n\n`
  )
})

it("says that details of results are not shown", () => {
  const one = finished("Research 1", "short")
  const document = `${one.result.document}\n\n## Details\n\nmore`
  const detailed = new TaskResult({ task: one.task, calls: [], result: { summary: "short", document } })
  expect(resultBlocks([detailed], 100)).toBe(
    "(Only the summaries are shown here; their details are not.)\n\n### Research 1\n\nshort\n\n"
  )
})

it("names what was denied, each call once, without advice for a person", () => {
  const result: ToolResult = {
    success: false,
    data: null,
    error_message: "Permission denied",
    error_type: "permission_denied",
    metadata
  }
  const read = (path: string) => ({ call: { uid: path, name: "read_file", arguments: { path } }, result })
  const one = finished("Research 1", "short")
  const calls = [read("a"), read("a"), read("b")]
  const check: CheckOutcome = {
    command: "npm test",
    exitCode: null,
    seconds: 0,
    text: "npm test: not run. It is not allowed.",
    failures: [],
    newFailures: [],
    notRun: "It is not allowed. Use --allow run_command."
  }
  const files = [{ path: "c", kind: "new" as const, insertions: 1, deletions: 0 }]
  expect(resultBlocks([new TaskResult({ ...one, calls, checks: [check], files })], 100)).toBe(
    "### Research 1\n\nWhat the program knows:\n\n1 file changed, 1 insertion(+):\n- c (new): 1 insertion(+)\n- npm test: not run. It is not allowed.\n- denied: `read_file a`\n- denied: `read_file b`\n\nshort\n\n"
  )
  const many = [1, 2, 3, 4, 5, 6, 7].map((number) => read(`f${number}`))
  expect(resultBlocks([new TaskResult({ ...one, calls: many })], 100)).toContain(
    "`read_file f5`\n- denied: 2 more calls\n"
  )
})

it("names phase, task and reason of each failure on one line", () => {
  const failure = new TaskFailure({ task: "Research 2", phase: "refinement", reason: "no\n calls", skipped: false })
  expect(failureLines([failure])).toBe(`- Task refinement: "Research 2": no calls`)
})
