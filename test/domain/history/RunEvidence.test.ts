import { describe, expect, it } from "vitest"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { finished, gave } from "../../support/sampleTasks.ts"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { taskEvidence } from "../../../src/domain/history/RunEvidence.ts"
import { type RunHead, runOverview } from "../../../src/domain/history/RunOverview.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import type { ToolResult } from "../../../src/domain/tools/ToolCall.ts"

const head: RunHead = { runId: "run-1", status: "unfinished", project: "/project", prompt: "Do it." }
const id = { round: 1, task: "Look 1", uid: "call-1" }
const call = { uid: "call-1", name: "read_file", arguments: {} }
const { result } = gave("read_file", {}, "text")
const event = (of: Extract<JournalRecord, { readonly type: "event" }>["event"]): JournalRecord => ({
  type: "event",
  event: of
})
const started = event({ type: "tool.started", id, call, risk: "safe", targets: [] })

const denied: ToolResult = { ...result, success: false, data: null, error_type: "permission_denied" }
const told = event({ type: "tool.finished", id, name: "read_file", result: denied })

describe("the evidence of a task", () => {
  it("has the result of a call that was kept and, because of a crash, never told", () => {
    const kept: JournalRecord = { type: "outcome", key: "round-1/tool/look-1/call-1#0123456789abcdef", value: result }
    expect(taskEvidence([started, kept], "Look 1").calls).toEqual([{ id, call, risk: "safe", targets: [], result }])
  })

  it("has the result of a call that was denied, which is told and not kept", () => {
    const outcome = { id, call, risk: "safe", targets: [], result: denied }
    expect(taskEvidence([started, told], "look 1").calls).toEqual([outcome])
  })

  it("has a denied call although a call of another task with the same id runs later", () => {
    const event = { type: "tool.started", id: { ...id, task: "Look 2" }, call, risk: "safe", targets: [] } as const
    expect(taskEvidence([told, { type: "event", event }], "Look 1").unrun).toEqual([{ id, call, result: denied }])
  })
})

describe("a task that ended twice", () => {
  const where = { round: 1, step: 0, task: "Look 1" }
  const list = new TaskList({
    goals: "",
    steps: [new Step({ title: "Task section 1", tasks: [plainTask("Look 1", "any", "Look.", "A word.")] })]
  })
  const planned = event({ type: "plan.created", attempts: 1, taskList: list, markdown: "" })
  const finishing = event({ type: "task.finished", ...where, result: finished("Look 1", "It is there.") })
  const failure = new TaskFailure({ task: "Look 1", phase: "execution", reason: "gone.", skipped: false })
  const failing = event({ type: "task.failed", ...where, failure })

  it.each([
    ["finished", [failing, finishing], "It is there."],
    ["failed", [finishing, failing], failure.message]
  ] as const)("stands only as it ended last: %s", (state, ends, text) => {
    const records = [planned, ...ends]
    expect(runOverview(records, head).tasks).toEqual([{ name: "Look 1", state, text }])
    const { failures, result } = taskEvidence(records, "Look 1")
    expect([result === undefined, failures.length]).toEqual(state === "finished" ? [false, 0] : [true, 1])
  })
})
