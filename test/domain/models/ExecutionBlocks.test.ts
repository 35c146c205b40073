import { expect, it } from "@effect/vitest"
import { callBlocks, failureLines, fitResults, resultBlocks } from "../../../src/domain/models/ExecutionBlocks.ts"
import { Task } from "../../../src/domain/plan/Task.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { CallOutcome, ToolResult } from "../../../src/domain/tools/ToolCall.ts"

const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 0 }

const ok = (uid: string, data: string): CallOutcome => ({
  call: { uid, name: "read_file", arguments: { path: `${uid}.txt` } },
  result: { success: true, data, error_message: null, error_type: "none", metadata }
})

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

it("shows each call as JSON and its output as text, in fences that the output cannot close", () => {
  expect(callBlocks([ok("a", "one\n```\ntwo")], 1000)).toBe(
    `### Tool call read_file (a)

\`\`\`json
{
  "uid": "a",
  "name": "read_file",
  "arguments": {
    "path": "a.txt"
  }
}
\`\`\`

### Tool call read_file (a) output

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

it("says how much of a long output is shown, and leaves the room of short ones to it", () => {
  const long = "0123456789\n".repeat(20)
  const blocks = callBlocks([ok("short", "tiny"), ok("long", long)], 104)
  expect(blocks).toContain("```text\ntiny\n```")
  expect(blocks).toContain(`${"0123456789\n".repeat(9)}[only the first 98 of 220 characters are shown]`)
})

it("lists results by task name within the room there is", () => {
  expect(resultBlocks([finished("Research 1", "short"), finished("Research 2", "x".repeat(50))], 25)).toBe(
    `### Research 1\n\nshort\n\n### Research 2\n\n${"x".repeat(20)}\n[only the first 20 of 50 characters are shown]\n\n`
  )
})

it("names phase, task and reason of each failure on one line", () => {
  const failure = new TaskFailure({ task: "Research 2", phase: "refinement", reason: "no\n calls", skipped: false })
  expect(failureLines([failure])).toBe(`- Task refinement: "Research 2": no calls`)
})

const reference = (target: string) => ({
  kind: "task_result" as const,
  title: target,
  href: `#${target}-results`,
  target
})

it("shows results by their summary when the documents do not fit, and says so", () => {
  const all = [
    finished("Research 1", "Short."),
    finished("Research 2", "word ".repeat(400)),
    finished("Other 1", "x".repeat(900))
  ]
  const { task } = finished("Sum 1", "")
  const reader = new Task({ ...task, references: [reference("research-1"), reference("research-2")] })
  expect(fitResults(reader, all, 3000)).toEqual(all)
  const [first, second, other] = fitResults(reader, all, 1000)
  expect([first, other]).toEqual([all[0], all[2]])
  expect(second?.result.summary).toBe(all[1]?.result.summary)
  expect(second?.result.document).toMatch(
    /^word .*\n\[only the first \d+ of 1999 characters are shown\]\n\n\[only the summary is shown; the whole result has 2019 characters\]$/
  )
})
