import { assert, describe, it } from "@effect/vitest"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { outcomeLines } from "../../../src/cli/terminal/Ending.ts"
import { progressLine } from "../../../src/cli/terminal/Progress.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"

const plain = makePaint(false)
const at = { round: 1, step: 1, task: "Research 1" }
const ended = { round: 1, command: "npm test", seconds: 3.2 }

const ranCommand = (exit_code: number, output: string): RunEvent => ({
  type: "tool.finished",
  id: { round: 1, task: "Research 1", uid: "a" },
  name: "run_command",
  result: {
    success: true,
    data: { exit_code, output },
    error_message: null,
    error_type: "none",
    metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 }
  }
})

const lines: ReadonlyArray<[RunEvent, string | undefined]> = [
  [
    { type: "run.started", version: 1, runId: "r1", project: "/p", model: "embedded", prompt: "x" },
    "run r1 with embedded in /p"
  ],
  [{ type: "stage.started", stage: "plan", round: 0 }, "planning ..."],
  [{ type: "stage.started", stage: "task", round: 1, task: "Research 1" }, undefined],
  [{ type: "round.started", round: 2 }, undefined],
  [{ type: "step.started", round: 1, step: 1, title: "Task section 1" }, "Step 1"],
  [
    { type: "task.turn", ...at, turn: 1, calls: [{ uid: "look-1/a", name: "read_file", arguments: {} }], changed: [] },
    undefined
  ],
  [
    {
      type: "answer.rejected",
      call: { stage: "task", round: 1, task: "Research 1", attempt: 1 },
      answer: "",
      issues: []
    },
    '  An answer for "Research 1" was not usable (0 problems); turn 1'
  ],
  [{ type: "task.worked", ...at, calls: [{ uid: "a", name: "search_files", arguments: {} }] }, undefined],
  [{ type: "task.worked", ...at, calls: [] }, undefined],
  [{ type: "check.started", task: "Research 1", round: 1, command: "npm test" }, '  check npm test for "Research 1"'],
  [
    { type: "tool.progress", id: { round: 1, task: "Research 1", uid: "a" }, name: "query", done: 3, total: 10 },
    '  query for "Research 1": 3/10'
  ],
  [
    { type: "tool.progress", id: { round: 1, task: "Research 1", uid: "a" }, name: "query", text: "opening" },
    '  query for "Research 1": opening'
  ],
  [
    { type: "check.running", round: 1, command: "npm test", seconds: 10, endsAtSeconds: 600 },
    "  check npm test: running for 10 s; is stopped after 10 min"
  ],
  [{ type: "check.finished", ...ended, exitCode: 0, newFailures: [], text: "" }, "  passed npm test"],
  [{ type: "check.finished", ...ended, exitCode: 1, newFailures: [], text: "" }, "  nothing new fails npm test"],
  [
    {
      type: "check.finished",
      ...ended,
      exitCode: 0,
      newFailures: [],
      ran: { passed: 102, failed: 0, skipped: 0, newTests: ["adds more", "keeps"] },
      text: ""
    },
    "  passed npm test: 102 passed, 2 of them new: adds more; keeps"
  ],
  [
    { type: "check.finished", ...ended, exitCode: 1, newFailures: ["a", "b", "c", "d"], text: "" },
    "  check failed npm test after 3 s: a, b, c and 1 more"
  ],
  [
    {
      type: "check.finished",
      ...ended,
      exitCode: null,
      newFailures: [],
      text: "npm test: not run. Nobody allowed it."
    },
    "  not checked npm test: not run. Nobody allowed it."
  ],
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
  [ranCommand(1, "a\n1 failed\n"), '  exit code 1 run_command for "Research 1": 1 failed (2 lines)'],
  [ranCommand(0, "a\n1 passed\n"), undefined],
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
      call: { stage: "task", round: 1, task: "Research 1", attempt: 2 },
      answer: "?",
      issues: [{ code: "x", where: { section: "Tool Calls", line: 7 }, what: "No call.", how: "Add one." }]
    },
    '  An answer for "Research 1" was not usable (1 problem); turn 2\n    section "Tool Calls": No call. [x]'
  ],
  [{ type: "model.phase", call: { stage: "plan", round: 0, attempt: 1 }, phase: "thinking" }, undefined],
  [{ type: "model.phase", call: { stage: "task", round: 1, task: "A 1", attempt: 1 }, phase: "thinking" }, undefined],
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
    "  The answer broke off; trying again: planning"
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
    "  not approved: no terminal to ask on"
  ],
  [
    { type: "approval.answered", scope: "step", hash: "h", answer: "step", by: "person", always: ["edit_file:src/**"] },
    "  approved, always in this project: edit_file:src/**"
  ],
  [
    { type: "message", level: "error", text: "Permission denied: a person denied edit_file on /p/a.ts." },
    "note: You denied edit_file on /p/a.ts."
  ],
  [{ type: "message", level: "info", text: "The run was interrupted." }, undefined],
  [{ type: "message", level: "warning", text: "a\u001b[2Jb" }, "warning: a\\u{1b}[2Jb"]
]

describe("progressLine", () => {
  it.each(lines)("shows %j", (event, expected) => {
    assert.strictEqual(progressLine(event, plain), expected)
  })
})

const repair = (code: string) => ({ code, where: { task: "A" }, message: `Did ${code}.` })

const line = (code: string) => `    task "A", field "Skill": There is no skill ${code}. [${code}]`

const report = (modelCalls: number, code: string): RunReport => ({
  runId: "r1",
  status: "no_valid_plan",
  answer: "",
  message: "",
  issues: [{ code, where: { task: "A", line: 3 }, what: "There is no skill foo.", how: "Use search-code." }],
  goals: "",
  results: [],
  failures: [],
  rounds: 0,
  usage: { modelCalls, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }
})

/** The lines about issues. */
const first = (modelCalls: number, code: string) =>
  outcomeLines(report(modelCalls, code), plain).split("\n").slice(0, -1)

describe("what a model got wrong", () => {
  const call = { stage: "plan" as const, round: 0, attempt: 1 }
  const where = { section: "Task section 1", task: "A", field: "Skill", line: 12 }
  const found = (code: string) => ({ code, where, what: `There is no skill ${code}.`, how: "Use one of: any, talk." })
  const rejected: RunEvent = { type: "answer.rejected", call, answer: "?", issues: ["a", "b", "c", "d"].map(found) }
  const fixed = (...codes: ReadonlyArray<string>): RunEvent => ({
    type: "answer.repaired",
    call,
    repairs: codes.map(repair)
  })

  it("is reported to a person without what the model is asked to write, and without lines of an answer that is not seen", () => {
    assert.strictEqual(
      progressLine(rejected, plain),
      [
        "  The plan was not usable (4 problems); attempt 1",
        ...["a", "b", "c"].map(line),
        "    and 1 more; --verbose shows them"
      ].join("\n")
    )
    const reported =
      '      to the model: section "Task section 1", task "A", field "Skill", line 12: Use one of: any, talk.'
    assert.strictEqual(
      progressLine(rejected, plain, { isVerbose: true }),
      [
        "  The plan was not usable (4 problems); attempt 1",
        ...["a", "b", "c", "d"].flatMap((code) => [line(code), reported])
      ].join("\n")
    )
  })

  it("is reported when fixing it may have lost something, and otherwise on request", () => {
    const head = "  fixed while planning"
    const text = '    task "A": Did references-text. [references-text]'
    const form = '    task "A": Did reference-form. [reference-form]'
    assert.strictEqual(progressLine(fixed("reference-form"), plain), undefined)
    assert.strictEqual(progressLine(fixed("reference-form", "references-text"), plain), `${head}\n${text}`)
    assert.strictEqual(progressLine(fixed("reference-form"), plain, { isVerbose: true }), `${head}\n${form}`)
  })

  it("comes with what the user can do when a task failed because of it", () => {
    const failure = new TaskFailure({
      task: "A",
      phase: "execution",
      reason: "no valid result after 5 tries.",
      skipped: false,
      cause: { _tag: "NoValidAnswer", attempts: 5, repeated: false }
    })
    assert.strictEqual(
      progressLine({ type: "task.failed", round: 1, step: 0, task: "A", failure }, plain),
      '  failed Task execution: "A": no valid result after 5 tries.\n    What you can do: Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts).'
    )
  })
})

describe("outcomeLines", () => {
  it("says of a plan that a person wrote what to write, and of the model's what else can be done", () => {
    assert.deepStrictEqual(first(0, "skill-unknown"), ['  task "A", line 3: There is no skill foo. Use search-code.'])
    assert.deepStrictEqual(first(2, "skill-unknown"), [
      '  task "A": There is no skill foo. [skill-unknown]',
      '  What you can do: "task-conductor skills list" shows the skills that there are. Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts).'
    ])
  })

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
      '  task "A": There is no skill foo. [x]\n  What you can do: Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts).\nno valid plan: 0 results, 5 model calls, 1 tool call, 1.3 s'
    )
  })
})
