import { describe, expect, it } from "vitest"
import { evidenceText, overviewText, taskText } from "../../../src/cli/runs/show.ts"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { progressLine } from "../../../src/cli/terminal/Progress.ts"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { taskEvidence } from "../../../src/domain/history/RunEvidence.ts"
import { runOverview } from "../../../src/domain/history/RunOverview.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { ToolResult } from "../../../src/domain/tools/ToolCall.ts"
import { failed, finished, gave } from "../../support/sampleTasks.ts"

const where = { round: 1, step: 0, task: "Look 1" }
const calls = ["a.ts", "b.ts"].map((path) => ({ uid: path, name: "edit_file", arguments: { path } }))
const [first = calls[0], second = first] = calls
const metadata = { execution_time_ms: 1234, data_size_bytes: 1, timestamp: 0 }
const done: ToolResult = { ...gave("edit_file", {}, "t").result, metadata }
const no = "Permission denied: a rule denies edit_file on /project/a.ts."
const denied: ToolResult = { ...failed("edit_file", {}, "permission_denied", no).result, metadata }
const head = { runId: "run-1", status: "not_permitted", project: "/project", prompt: "Do it." } as const
const list = new TaskList({
  goals: "",
  steps: [new Step({ title: "Task section 1", tasks: [plainTask("Look 1", "any", "Look.", "A word.")] })]
})

const reported = (call: typeof first, result: ToolResult): RunEvent => ({
  type: "tool.finished",
  id: { round: 1, task: "Look 1", uid: call?.uid ?? "" },
  name: "edit_file",
  result
})

/** A task of which the first call was denied; the second is there and was made, or is not. */
const run = (hasSecond: boolean): ReadonlyArray<RunEvent> => {
  if (first === undefined || second === undefined) throw new Error("no calls")
  const outcomes = [{ call: first, result: denied }, ...(hasSecond ? [{ call: second, result: done }] : [])]
  const id = { round: 1, task: "Look 1", uid: second.uid }
  const made: ReadonlyArray<RunEvent> = [
    { type: "tool.started", id, call: second, risk: "medium", targets: ["/project/b.ts"] },
    reported(second, done)
  ]
  return [
    { type: "plan.created", attempts: 1, taskList: list, markdown: "" },
    { type: "task.worked", ...where, calls: outcomes.map(({ call }) => call) },
    reported(first, denied),
    ...(hasSecond ? made : []),
    {
      type: "task.finished",
      ...where,
      result: new TaskResult({ ...finished("Look 1", "It is there."), calls: outcomes })
    }
  ]
}

const records = (events: ReadonlyArray<RunEvent>) => events.map((event): JournalRecord => ({ type: "event", event }))

it("tells the exit code of a command that did not succeed", () => {
  const failing: ToolResult = { ...done, data: { exit_code: 1, output: "one\n1 failed\n" } }
  const events = run(true).map((event) =>
    event.type === "tool.finished" && event.result === done ? reported(second, failing) : event
  )
  const evidence = taskEvidence(records(events), "Look 1")
  expect(taskText(evidence, "/project")).toContain("\n- edit_file b.ts: exit code 1, 1 byte, 1.2 s\n")
  expect(evidenceText(evidence)).toContain("#### exit code 1, 1234 ms\n\n```text\nexit code 1\n\none\n1 failed\n```")
})

describe("a task of which a call was denied", () => {
  it.each([
    [false, "all", "not done (denied)"],
    [true, "some", "finished in part (some calls were denied)"]
  ] as const)("tells the call, and is not simply finished; another call was made: %s", (hasSecond, which, words) => {
    const events = run(hasSecond)
    const evidence = taskEvidence(records(events), "Look 1")
    expect(evidence).toMatchObject({ denied: which, unrun: [{ call: first, result: denied }] })
    expect(taskText(evidence, "/project")).toContain(`\n${words} · skill any\n`)
    expect(taskText(evidence, "/project")).toContain(
      `\n## Calls\n\n${hasSecond ? "- edit_file b.ts: 1 byte, 1.2 s\n" : ""}- edit_file a.ts: Permission denied: a rule denies edit_file on a.ts.\n`
    )
    const overview = runOverview(records(events), head)
    expect(overviewText(overview, new Date(0))).toContain(`- **Look 1** ${words}: It is there.`)
    const end = events.at(-1)
    expect(end === undefined ? "" : progressLine(end, makePaint(false))).toBe(`  ${words} "Look 1"`)
  })

  it("has no word about denials when none was denied", () => {
    const evidence = taskEvidence(records(run(true).slice(0, 2)), "Look 1")
    expect(Object.keys(evidence).filter((key) => key === "denied" || key === "unrun")).toEqual([])
  })
})

it("counts repairs, and calls by the syntax in which they were written", () => {
  const call = { round: 1, stage: "task", task: "Look 1", attempt: 1 } as const
  const syntax = { code: "tool-call-syntax", where: { line: 1 }, message: "Read it.", syntax: "gemma" }
  const level = { code: "heading-level", where: { line: 1 }, message: "Read it." }
  const repaired: RunEvent = { type: "answer.repaired", call, repairs: [level, syntax, syntax] }
  const overview = runOverview(records([...run(true), repaired]), head)
  expect(overview.repairs).toEqual([
    { code: "tool-call-syntax", syntax: "gemma", times: 2 },
    { code: "heading-level", times: 1 }
  ])
  expect(overviewText(overview, new Date(0))).toContain("- tool-call-syntax (gemma): 2\n- heading-level: 1\n")
})
