import { assert, describe, it } from "@effect/vitest"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { outcomeLines } from "../../../src/cli/terminal/Ending.ts"
import { progressLine } from "../../../src/cli/terminal/Progress.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { noUsage } from "../../../src/domain/runs/RunReport.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { reportWith } from "../../support/sampleReport.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const plain = makePaint(false)
const task = "Research 1"
const at = { round: 1, step: 1, task }
const id = { round: 1, task, uid: "a" }
const planning = { stage: "plan" as const, round: 0, attempt: 1 }
const turn = (attempt: number) => ({ stage: "task" as const, round: 1, task, attempt })
const quiet = { round: 1, command: "npm test", seconds: 3.2, newFailures: [], text: "" }
const person = "Permission denied: a person denied edit_file on /p/a.ts."

const toolFinished = ({ call, result }: CallOutcome): RunEvent => ({
  type: "tool.finished",
  id,
  name: call.name,
  result
})
const ranCommand = (exit_code: number, output: string) => toolFinished(gave("run_command", {}, { exit_code, output }))

const brokeOff = (willRetry: boolean): RunEvent => ({
  type: "model.failed",
  call: planning,
  reason: "DiedMidStream",
  message: "The model's answer broke off after 3 characters: gone.",
  willRetry
})

const lines: ReadonlyArray<[RunEvent, string | undefined]> = [
  [
    { type: "run.started", version: 1, runId: "r1", project: "/p", model: "embedded", prompt: "x" },
    "run r1 with embedded in /p"
  ],
  [{ type: "stage.started", stage: "plan", round: 0 }, "planning ..."],
  [{ type: "stage.started", stage: "task", round: 1, task }, undefined],
  [{ type: "round.started", round: 2 }, undefined],
  [{ type: "step.started", round: 1, step: 1, title: "Task section 1" }, "Step 1"],
  [
    { type: "task.turn", ...at, turn: 1, calls: [{ uid: "a", name: "read_file", arguments: {} }], changed: [] },
    undefined
  ],
  [
    { type: "answer.rejected", call: turn(1), answer: "", issues: [] },
    '  An answer for "Research 1" was not usable (0 problems); turn 1'
  ],
  [
    {
      type: "answer.rejected",
      call: turn(2),
      answer: "?",
      issues: [{ code: "x", where: { section: "Tool Calls", line: 7 }, what: "No call.", how: "Add one." }]
    },
    '  An answer for "Research 1" was not usable (1 problem); turn 2\n    section "Tool Calls": No call. [x]'
  ],
  [{ type: "task.worked", ...at, calls: [{ uid: "a", name: "search_files", arguments: {} }] }, undefined],
  [{ type: "check.started", task, round: 1, command: "npm test" }, '  check npm test for "Research 1"'],
  [{ type: "tool.progress", id, name: "query", done: 3, total: 10 }, '  query for "Research 1": 3/10'],
  [{ type: "tool.progress", id, name: "query", text: "opening" }, '  query for "Research 1": opening'],
  [
    { type: "check.running", round: 1, command: "npm test", seconds: 10, endsAtSeconds: 600 },
    "  check npm test: running for 10 s; is stopped after 10 min"
  ],
  [{ type: "check.finished", ...quiet, exitCode: 0 }, "  passed npm test"],
  [{ type: "check.finished", ...quiet, exitCode: 1 }, "  nothing new fails npm test"],
  [
    {
      type: "check.finished",
      ...quiet,
      exitCode: 0,
      ran: { passed: 102, failed: 0, skipped: 0, newTests: ["a", "b"] }
    },
    "  passed npm test: 102 passed, 2 of them new: a; b"
  ],
  [
    { type: "check.finished", ...quiet, exitCode: 1, newFailures: ["a", "b", "c", "d"] },
    "  check failed npm test after 3 s: a, b, c and 1 more"
  ],
  [
    { type: "check.finished", ...quiet, exitCode: null, text: "npm test: not run. Nobody allowed it." },
    "  not checked npm test: not run. Nobody allowed it."
  ],
  [
    toolFinished(failed("read_file", {}, "not_found", "There is no file a.txt.")),
    '  call failed read_file for "Research 1": There is no file a.txt.'
  ],
  [ranCommand(1, "a\n1 failed\n"), '  exit code 1 run_command for "Research 1": 1 failed (2 lines)'],
  [ranCommand(0, "a\n1 passed\n"), undefined],
  [
    {
      type: "tool.started",
      id,
      call: { uid: "a", name: "read_file", arguments: { path: "a.txt" } },
      risk: "medium",
      targets: ["/p/a.txt"]
    },
    '  call read_file /p/a.txt for "Research 1"'
  ],
  [{ type: "model.phase", call: planning, phase: "thinking" }, undefined],
  [
    { type: "server.waiting", reason: "Unreachable", message: "No model server answers.", secondsLeft: 285 },
    "  waiting for the model server, 4 min 45 s left: No model server answers."
  ],
  [{ type: "server.back", waitedSeconds: 45 }, "  the model server is back after 45 s"],
  [brokeOff(true), "  The answer broke off; trying again: planning"],
  [brokeOff(false), undefined],
  [{ type: "message", level: "error", text: "Task a\nTask b" }, "error: Task a\n  Task b"],
  [
    { type: "approval.answered", scope: "step", hash: "h", answer: "decline", by: "nobody" },
    "  not approved: no terminal to ask on"
  ],
  [
    { type: "approval.answered", scope: "step", hash: "h", answer: "step", by: "person", always: ["edit_file:src/**"] },
    "  approved, always in this project: edit_file:src/**"
  ],
  [{ type: "message", level: "error", text: person }, "note: You denied edit_file on /p/a.ts."],
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

describe("what a model got wrong", () => {
  const where = { section: "Task section 1", task: "A", field: "Skill", line: 12 }
  const found = (code: string) => ({ code, where, what: `There is no skill ${code}.`, how: "Use one of: any, talk." })
  const rejected: RunEvent = {
    type: "answer.rejected",
    call: planning,
    answer: "?",
    issues: ["a", "b", "c", "d"].map(found)
  }
  const fixed = (...codes: ReadonlyArray<string>): RunEvent => ({
    type: "answer.repaired",
    call: planning,
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

/** The lines of the end of a run that made no valid plan. */
const linesOf = (modelCalls: number, code: string) =>
  outcomeLines(
    reportWith({
      status: "no_valid_plan",
      issues: [{ code, where: { task: "A", line: 3 }, what: "There is no skill foo.", how: "Use search-code." }],
      usage: { ...noUsage, modelCalls, durationMs: 1250 }
    }),
    plain
  ).split("\n")

it("the end says of a plan that a person wrote what to write, and of the model's what else can be done", () => {
  const larger =
    "Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts)."
  assert.deepStrictEqual(linesOf(0, "skill-unknown")[0], '  task "A", line 3: There is no skill foo. Use search-code.')
  assert.deepStrictEqual(linesOf(2, "skill-unknown").slice(0, -1), [
    '  task "A": There is no skill foo. [skill-unknown]',
    `  What you can do: "task-conductor skills list" shows the skills that there are. ${larger}`
  ])
  assert.deepStrictEqual(linesOf(5, "x").slice(1), [
    `  What you can do: ${larger}`,
    "no valid plan: 0 results, 5 model calls, 0 tool calls, 1.3 s"
  ])
})
