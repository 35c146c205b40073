import { assert, it } from "@effect/vitest"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { outcomeLines } from "../../../src/cli/terminal/Ending.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { toolCallText } from "../../../src/domain/runs/CallText.ts"
import { noUsage, type RunReport } from "../../../src/domain/runs/RunReport.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { failed, finished, gave } from "../../support/sampleTasks.ts"
import { reportWith } from "../../support/sampleReport.ts"

const plain = makePaint(false)

const withCalls = (...calls: ReadonlyArray<CallOutcome>): TaskResult =>
  new TaskResult({ ...finished("Edit", "Done."), calls })

const usage = { ...noUsage, modelCalls: 9, toolCalls: 4, promptTokens: 12_345, answerTokens: 900, durationMs: 76_500 }
const report = (more: Partial<RunReport>) => reportWith({ rounds: 2, usage, ...more })

const edit = (path: string, diff: string) => gave("edit_file", { path }, { path, diff })
const changed = "--- a.js\n+++ a.js\n@@ -1,2 +1,2 @@\n-one\n+two\n same"

const failure = (task: string) =>
  new TaskFailure({ task, phase: "execution", reason: "you declined it.", skipped: false })

const words = (name: string, given: Arguments, ...targets: Array<string>) =>
  toolCallText({ uid: "a", name, arguments: given }, targets, "/p")

it("says what it came to and what it cost, without the time of the user", () => {
  assert.strictEqual(
    outcomeLines(report({}), plain, { userMs: 20_000, isUnicode: true }),
    "✔ done: 0 results, 9 model calls, 4 tool calls, 56.5 s and 20.0 s for your answers, 12.3k tokens read, 900 written"
  )
  assert.strictEqual(
    outcomeLines(report({ status: "interrupted" }), plain, { isVerbose: true }),
    "interrupted: 0 results, 2 rounds, 9 model calls, 4 tool calls, 1 min 17 s, 12.3k tokens read, 900 written"
  )
})

it("says how much the server took from its cache, where that is known", () => {
  assert.include(
    outcomeLines(report({ usage: { ...usage, promptTokens: 120_000, cachedTokens: 84_000 } }), plain),
    "120.0k tokens read, 84.0k of them from the server's cache, 900 written"
  )
})

it("is calm about what the user denied, and tells it as theirs", () => {
  const denied = "Permission denied: a person denied edit_file on /p/a.ts."
  const task = new TaskFailure({ task: "Edit", phase: "execution", reason: denied, skipped: false })
  const [first, last] = outcomeLines(
    report({ status: "not_permitted", message: denied, failures: [task] }),
    makePaint(true),
    { isUnicode: true, project: "/p" }
  ).split("\n")
  assert.strictEqual(first, '  not done: "Edit": You denied edit_file on a.ts.')
  assert.include(last, makePaint(true).yellow("■ not permitted"))
  const rule = report({ status: "not_permitted", message: "Permission denied: a rule denies edit_file." })
  assert.include(outcomeLines(rule, makePaint(true), { isUnicode: true }), makePaint(true).red("✖ not permitted"))
})

it("names each file that changed once, with the lines", () => {
  const results = [
    withCalls(edit("/p/src/a.js", changed), edit("/p/src/a.js", changed), failed("edit_file", {}, "not_found", "No.")),
    withCalls(
      edit("new.md", "--- /dev/null\n+++ new.md\n@@ -0,0 +1,2 @@\n+# A\n+--- b"),
      edit("same.md", ""),
      edit("long.md", `${changed}\n(40 more lines of the diff are not shown)`),
      gave("read_file", { path: "b.js" }, "+ no diff")
    )
  ]
  assert.deepStrictEqual(outcomeLines(report({ results }), plain, { project: "/p" }).split("\n").slice(0, -1), [
    "  changed src/a.js (+2 -2)",
    "  created new.md (+2)",
    "  changed long.md (+1 -1 and more)"
  ])
})

it("says what was not done and why, and counts what is too much for a screen", () => {
  const failures = Array.from({ length: 14 }, (_, index) => failure(`Edit ${index + 1}`))
  const lines = outcomeLines(report({ status: "declined", failures }), plain).split("\n")
  assert.strictEqual(lines[0], '  not done: "Edit 1": you declined it.')
  assert.deepStrictEqual([lines.length, lines[12]], [14, "  and 2 more tasks"])
})

it("is red only for what went wrong", () => {
  const colours = { done: 32, declined: 33, interrupted: 33, limit: 33, failed: 31, not_permitted: 31 } as const
  for (const [status, colour] of Object.entries(colours)) {
    const lines = outcomeLines(report({ status: status as keyof typeof colours }), makePaint(true))
    assert.include(lines, `\u001b[1m\u001b[${colour}m`)
  }
})

it.each([
  ['search_files "a b" in src *.ts', words("search_files", { pattern: "a b", path: "src", glob: "*.ts" }, "/p/src")],
  ["read_file src/a.ts:3-9", words("read_file", { path: "./a.ts", start_line: 3, end_line: 9 }, "/p/src/a.ts")],
  ["read_file a.ts:3-", words("read_file", { path: "a.ts", start_line: 3 })],
  ["run_command npm test", words("run_command", { argv: ["npm", "test"] })],
  ["fetch_url https://example.com/", words("fetch_url", { url: "https://example.com/" }, "https://example.com/")],
  ["other 3", words("other", { number: 3 })],
  ["other x /q/y", words("other", {}, "/p/x", "/q/y")],
  ["get_current_time", words("get_current_time", {})]
])("a call in a few words has the argument that says what it is about: %s", (expected, text) => {
  assert.strictEqual(text, expected)
})
