import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unableText } from "../../../src/domain/documents/UselessAnswers.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import type { RunOrder } from "../../../src/domain/runs/RunOrder.ts"
import { Approver, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { EventLog } from "../../support/EventLog.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { runScript, scripted, scriptedRun, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const write = (...paths: ReadonlyArray<string>) =>
  refinementWith(paths.map((path) => ({ name: "write_file", arguments: { path, content: "new\n" } })))
/** A result that leaves something to plan. */
const partly = () => resultSaying("Partly done. Found.")

describe("rounds", () => {
  nodeTest("end at the limit of the settings with work left, and with an answer", function* () {
    const { report, events } = yield* scriptedRun(
      { execute: partly, iterate: (_, count) => planOf([[{ name: `More ${count}` }]]) },
      { settings: { limits: { ...defaultLimits, rounds: 2 } } }
    )
    expect([report.status, report.rounds, report.answer]).toEqual(["limit", 2, "Here it is."])
    expect(events).toContainEqual({ type: "message", level: "error", text: report.message })
  })

  nodeTest("leave the run failed when no iteration is valid", function* () {
    const { report } = yield* scriptedRun({
      execute: partly,
      iterate: (_, count) => planOf([[{ name: `Try ${count}`, skill: "unheard-of" }]])
    })
    expect(report.status).toBe("failed")
  })

  nodeTest("end as failed when the same task fails the same way in two rounds", function* () {
    const { report } = yield* scriptedRun({
      execute: () => "No heading.",
      iterate: () => planOf([[{ name: "Research 1" }]])
    })
    expect([report.status, report.rounds, report.failures.length]).toEqual(["failed", 2, 2])
    expect(report.failures[1]!.message).toContain(
      `Task execution: "Research 1": no valid result after 3 tries. The model gave the same answer every time. ${unableText("embedded", "task")}`
    )
    expect(report.message).toBe(`${report.failures[1]!.message} It failed the same way before.`)
  })

  nodeTest("drop finished tasks that iteration repeats", function* () {
    const { report, events } = yield* scriptedRun({
      execute: partly,
      iterate: (_, count) => planOf(count === 1 ? [[{ name: "Research 1" }, { name: "Next" }]] : [])
    })
    expect(report.results.map(({ name }) => name)).toEqual(["Research 1", "Next"])
    const repairs = events.flatMap((event) => (event.type === "answer.repaired" ? event.repairs : []))
    expect(repairs.map(({ where }) => where.task)).toContain("Research 1")
  })
})

describe("approval", () => {
  nodeTest("is asked for a high risk call that the list does not gate, which runs when it is given", function* () {
    const { report, events } = yield* scriptedRun(
      {
        plan: () => planOf([[{ name: "Read" }], [{ name: "Write" }]]),
        refine: (prompt) => (taskOf(prompt) === "Write" ? write("out.txt") : clock)
      },
      { approver: scriptedApprover({ steps: ["step"] }).layer }
    )
    expect([report.status, report.results.map(({ name }) => name)]).toEqual(["done", ["Read", "Write"]])
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event] : []))
    expect(
      asked.map(({ items, scope, title }) => [scope, title, items.map(({ risk, task, tool }) => [task, tool, risk])])
    ).toEqual([["step", "Task section 2", [["Write", "write_file", "high"]]]])
    expect(report.results[1]!.calls[0]!.result.success).toBe(true)
  })

  nodeTest("of all remaining steps holds for the tasks that were there, not for those of a new round", function* () {
    const asked: Array<string> = []
    const approver = Layer.succeed(Approver)(
      Approver.of({
        step: (_, items) =>
          Effect.sync(() => {
            asked.push(items.map(({ task }) => task).join())
            return { answer: "remaining" as const, by: "person" as const }
          }),
        call: () => Effect.succeed({ answer: "deny", by: "person" }),
        inDoubt: () => stopAtUncertain
      })
    )
    const { report } = yield* scriptedRun(
      {
        plan: () => planOf([[{ name: "Write 1" }], [{ name: "Write 2" }]]),
        refine: (_, count) => write(`out-${count}.txt`),
        iterate: (_, count) => planOf(count === 1 ? [[{ name: "Write 3" }]] : [])
      },
      { approver }
    )
    expect([report.status, asked]).toEqual(["done", ["Write 1", "Write 3"]])
  })

  nodeTest("that is certain to be denied for a reference is told to the planner, whose next list runs", function* () {
    const { report, events } = yield* scriptedRun(
      {
        plan: (_, count) => {
          const references = count === 1 ? "[A](a.txt), [B](https://example.org/), [C](b.txt)" : "[C](b.txt)"
          return planOf([[{ name: "Talk 1", skill: "talk", references }]])
        }
      },
      { files: { "a.txt": "a\n", "b.txt": "b\n" }, rules: [{ verdict: "deny", tool: "read_file", pattern: "a.txt" }] }
    )
    const issues = events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
    const why =
      'No rule allows reading https://example.org/ and nobody can be asked in this run; --allow "fetch_url:https://example.org/" would allow it.'
    expect(issues.map(({ code, what }) => [code, what])).toEqual([
      ["reference-denied", expect.stringMatching(/^The rule "deny read_file:a.txt" forbids reading .*a\.txt\.$/)],
      ["reference-denied", why]
    ])
    expect([report.status, report.failures]).toEqual(["done", []])
  })
})

describe("the model", () => {
  const openFiles = Array.from({ length: 200 }, () => "a.txt")
  const refusals: ReadonlyArray<readonly [what: string, part: string, order: Partial<RunOrder>, window: number]> = [
    ["a window without room for a plan", "context window", {}, 300],
    ["a window without room for a task with a skill", "context window", { skill: "any" }, 300],
    ["a prompt that is larger than the window", "prompt", { prompt: "word ".repeat(9000) }, 8192],
    ["a prompt that no task can be shown", "prompt", { skill: "any", prompt: "word ".repeat(9000) }, 8192],
    ["open files that fill the window", "context window", { openFiles }, 300]
  ]
  for (const [what, part, order, contextWindow] of refusals) {
    nodeTest(`refuses ${what} before the run begins, with what would do`, function* () {
      const { error, events } = yield* Effect.flatMap(EventLog, (log) =>
        Effect.map(Effect.flip(runScript(order)), (found) => ({ error: found, events: log.events() }))
      ).pipe(scripted({}, { files: { "a.txt": "A." }, settings: { contextWindow } }))
      expect(error).toMatchObject({ _tag: "BriefingError", part })
      const needs = `The prompt needs about \\d+ tokens, the context window holds ${contextWindow}\\..* to at least \\d+\\.$`
      expect(error.message).toMatch(new RegExp(needs))
      expect(events).toEqual([])
    })
  }
})

describe("an attached input", () => {
  const attachment = { name: "stdin", text: "Error: full disk\n" }
  const attached = "1: Error: full disk"

  nodeTest("is shown to the plan and where a task refers to it, and to the task of a single skill", function* () {
    const prompts: Record<string, string> = {}
    const seen =
      (stage: string, answer: string) =>
      (_: string, __: number, { user }: FilledPrompt) => {
        prompts[stage] = user
        return answer
      }
    const plan = planOf([[{ name: "Research 1", references: "[the log](#attached-input)" }]])
    const script = { plan: seen("plan", plan), execute: seen("execute", resultSaying("Found.")) }
    yield* scriptedRun(script, {}, { attachment })
    expect(prompts["plan"]).toMatch(new RegExp(`## Attached input[^]*${attached}`))
    expect(prompts["execute"]).toContain(attached)
    const { report } = yield* scriptedRun(
      { execute: seen("single", resultSaying("Found.")) },
      {},
      { attachment, skill: "talk" }
    )
    expect(report.status).toBe("done")
    expect(prompts["single"]).toContain(attached)
  })
})
