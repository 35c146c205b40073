import { assert, describe, it } from "@effect/vitest"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { outcomeLines, progressLine } from "../../../src/cli/terminal/Progress.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"

const plain = makePaint(false)
const at = { round: 1, step: 1, task: "Research 1" }

const lines: ReadonlyArray<[RunEvent, string | undefined]> = [
  [
    { type: "run.started", version: 1, runId: "r1", project: "/p", model: "embedded", prompt: "x" },
    "run r1 with embedded in /p"
  ],
  [{ type: "stage.started", stage: "plan", round: 0 }, "plan ..."],
  [{ type: "stage.started", stage: "refine", round: 1, task: "Research 1" }, undefined],
  [{ type: "round.started", round: 2 }, "round 2"],
  [{ type: "step.started", round: 1, step: 1, title: "Task section 1" }, "Task section 1"],
  [
    { type: "task.looked", ...at, pass: 1, calls: [{ uid: "look-1/a", name: "read_file", arguments: {} }] },
    '  looks for "Research 1": read_file'
  ],
  [
    {
      type: "answer.rejected",
      call: { stage: "refine", round: 1, task: "Research 1", pass: 2, attempt: 1 },
      answer: "",
      issues: []
    },
    '  answer rejected refine "Research 1", pass 2, attempt 1: 0 issues'
  ],
  [
    { type: "task.refined", ...at, calls: [{ uid: "a", name: "search_files", arguments: {} }] },
    '  refined "Research 1": search_files'
  ],
  [{ type: "task.refined", ...at, calls: [] }, '  refined "Research 1": no calls'],
  [
    {
      type: "tool.finished",
      id: { round: 1, task: "Research 1", uid: "a" },
      name: "read_file",
      result: {
        success: false,
        data: null,
        error_message: "There is no file a.txt.",
        error_type: "not_found",
        metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 }
      }
    },
    '  call failed read_file for "Research 1": There is no file a.txt.'
  ],
  [
    {
      type: "tool.started",
      id: { round: 1, task: "Research 1", uid: "a" },
      call: { uid: "a", name: "read_file", arguments: { path: "a.txt" } },
      risk: "medium",
      targets: ["/p/a.txt"]
    },
    '  call read_file /p/a.txt for "Research 1"'
  ],
  [
    {
      type: "answer.rejected",
      call: { stage: "refine", round: 1, task: "Research 1", attempt: 2 },
      answer: "?",
      issues: [{ code: "x", where: { section: "Tool Calls", line: 7 }, what: "No call.", how: "Add one." }]
    },
    '  answer rejected refine "Research 1", attempt 2: 1 issue\n    section "Tool Calls", line 7: No call. Add one.'
  ],
  [{ type: "model.phase", call: { stage: "plan", round: 0, attempt: 1 }, phase: "thinking" }, "  plan: thinking"],
  [
    { type: "model.phase", call: { stage: "refine", round: 1, task: "A 1", attempt: 1 }, phase: "thinking" },
    '  refine "A 1": thinking'
  ],
  [{ type: "model.phase", call: { stage: "plan", round: 0, attempt: 1 }, phase: "writing" }, undefined],
  [
    { type: "server.waiting", reason: "Unreachable", message: "No model server answers.", secondsLeft: 285 },
    "  waiting for the model server, 4 min 45 s left: No model server answers."
  ],
  [{ type: "server.back", waitedSeconds: 45 }, "  the model server is back after 45 s"],
  [
    {
      type: "model.failed",
      call: { stage: "plan", round: 0, attempt: 1 },
      reason: "DiedMidStream",
      message: "The model's answer broke off after 3 characters: gone.",
      willRetry: true
    },
    "  model plan: died mid stream, trying again"
  ],
  [
    {
      type: "model.failed",
      call: { stage: "plan", round: 0, attempt: 1 },
      reason: "DiedMidStream",
      message: "The model's answer broke off after 3 characters: gone.",
      willRetry: false
    },
    undefined
  ],
  [
    { type: "message", level: "error", text: "Task execution: a\nTask execution: b" },
    "error: Task execution: a\n  Task execution: b"
  ],
  [
    { type: "approval.answered", scope: "step", hash: "h", answer: "decline", by: "nobody" },
    "  approval: decline (nobody)"
  ],
  [{ type: "message", level: "warning", text: "a\u001b[2Jb" }, "warning: a\\u{1b}[2Jb"]
]

describe("progressLine", () => {
  it.each(lines)("shows %j", (event, expected) => {
    assert.strictEqual(progressLine(event, plain), expected)
  })
})

describe("outcomeLines", () => {
  it("says how the run ended, why, and what it cost", () => {
    const report: RunReport = {
      runId: "r1",
      status: "no_valid_plan",
      answer: "",
      message: "Could not build valid task list after 5 tries.",
      issues: [{ code: "x", where: { task: "A" }, what: "There is no skill foo.", how: "Use search-code." }],
      goals: "",
      results: [],
      failures: [],
      rounds: 0,
      usage: { modelCalls: 5, toolCalls: 1, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 1250 }
    }
    assert.strictEqual(
      outcomeLines(report, plain),
      '  task "A": There is no skill foo. Use search-code.\nno valid plan: 0 results, 0 rounds, 5 model calls, 1 tool call, 1.3 s'
    )
  })
})
