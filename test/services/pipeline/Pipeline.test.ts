import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fiber from "effect/Fiber"
import * as AiError from "effect/ai/AiError"
import * as TestClock from "effect/testing/TestClock"
import { unableText } from "../../../src/domain/documents/UselessAnswers.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import type { RunOrder } from "../../../src/domain/runs/RunOrder.ts"
import { Approver, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { EventLog } from "../../support/EventLog.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { runScript, type Script, scripted, scriptedRun, taskOf } from "../../support/ScriptedRun.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const write = (...paths: ReadonlyArray<string>) =>
  refinementWith(paths.map((path) => ({ name: "write_file", arguments: { path, content: "new\n" } })))
const readOfA = (start_line = 1) => refinementWith([{ name: "read_file", arguments: { path: "a.txt", start_line } }])

const readNext = (_: string, count: number) => readOfA(count)

/** A result that leaves something to plan. */
const partly = () => resultSaying("Partly done. Found.")

describe("rounds", () => {
  nodeTest("end at the limit of the settings with work left, and with an answer", function* () {
    const { report, events } = yield* scriptedRun(
      { execute: partly, iterate: (_, count) => planOf([[{ name: `More ${count}` }]]) },
      { settings: { limits: { ...defaultLimits, rounds: 2 } } }
    )
    expect([report.status, report.rounds, report.answer]).toEqual(["limit", 2, "Here it is."])
    expect(report.results.map(({ name }) => name)).toEqual(["Research 1", "More 1"])
    const messages = events.filter((event) => event.type === "message")
    expect(messages).toEqual([{ type: "message", level: "error", text: report.message }])
  })

  nodeTest("leave the run failed when no iteration is valid", function* () {
    const { report } = yield* scriptedRun({
      execute: partly,
      iterate: (_, count) => planOf([[{ name: `Try ${count}`, skill: "unheard-of" }]])
    })
    expect(report.status).toBe("failed")
  })

  nodeTest("end as failed when the same task fails the same way in two rounds", function* () {
    const iterations: Array<string> = []
    const { report } = yield* scriptedRun({
      execute: () => "No heading.",
      iterate: (prompt) => {
        iterations.push(prompt)
        return planOf([[{ name: "Research 1" }]])
      }
    })
    expect([report.status, report.rounds, report.failures.length]).toEqual(["failed", 2, 2])
    expect(report.failures[1]!.message).toContain(
      `Task execution: "Research 1": no valid result after 3 tries. The model gave the same answer every time. ${unableText("embedded", "task")}`
    )
    expect(report.message).toBe(`${report.failures[1]!.message} It failed the same way before.`)
    expect(iterations[0]).toContain('## Tasks that failed\n\n- Task execution: "Research 1": no valid result')
  })

  nodeTest("are done when a later one gets by without the task that failed", function* () {
    const { report } = yield* scriptedRun({
      plan: () => planOf([[{ name: "Good" }, { name: "Research 1" }]]),
      refine: (prompt) => (taskOf(prompt) === "Research 1" ? "I will not." : clock),
      iterate: (_, count) => planOf(count === 1 ? [[{ name: "Instead" }]] : [])
    })
    const results = report.results.map(({ name }) => name)
    expect([report.status, report.failures.length, results]).toEqual(["done", 1, ["Good", "Instead"]])
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

  nodeTest("of a reference that is denied fails its task, and the run is not permitted", function* () {
    const { report, events } = yield* scriptedRun(
      { plan: () => planOf([[{ name: "Talk 1", skill: "talk", references: "[A](.env)" }]]) },
      { files: { ".env": "a\n" }, approver: scriptedApprover({ calls: ["deny"] }).layer }
    )
    expect([report.status, report.failures.length]).toEqual(["not_permitted", 1])
    expect(report.message).toContain("Permission denied: a person denied read_file on ")
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
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

  nodeTest("of the same effect is asked for three times, then the task ends, and then the run", function* () {
    const declining = scriptedApprover({ calls: ["deny", "deny", "deny"] })
    const { report } = yield* scriptedRun(
      { refine: readNext, execute: readNext, iterate: () => planOf([[{ name: "Research 1" }]]) },
      { files: { "a.txt": "1\n2\n3\n" }, approver: declining.layer }
    )
    const why =
      /^Task execution: "Research 1": Permission denied: a person denied read_file on .*\/a\.txt 3 times, so the task ends\.$/
    const [first, second, ...others] = report.failures.map(({ message }) => message)
    expect([first, others]).toEqual([second, []])
    expect(first).toMatch(why)
    expect([report.status, report.message]).toEqual(["not_permitted", `${first} It failed the same way before.`])
    expect(declining.asked.length).toBe(3)
  })

  nodeTest("of chosen calls of a step gives the others a denial by the user", function* () {
    const { events, report } = yield* scriptedRun(
      { refine: () => write("a.txt", "b.txt") },
      { approver: scriptedApprover({ steps: [{ chosen: [2] }] }).layer }
    )
    expect(report.status).toBe("not_permitted")
    expect(report.results[0]?.calls.map(({ result }) => result.error_type)).toEqual(["permission_denied", "none"])
    expect(events.filter((event) => event.type === "approval.answered")).toMatchObject([
      { scope: "step", answer: "chosen", chosen: [2], by: "person" }
    ])
  })

  nodeTest("that a rule refuses is not called done", function* () {
    const { report } = yield* scriptedRun(
      { refine: () => readOfA() },
      { files: { "a.txt": "a\n" }, rules: [{ verdict: "deny", tool: "read_file" }] }
    )
    expect([report.status, report.answer]).toEqual(["not_permitted", "Here it is."])
    expect(report.results[0]!.calls[0]!.result.error_type).toBe("permission_denied")
  })
})

describe("the model", () => {
  const refused = new AiError.AiError({
    module: "Test",
    method: "streamText",
    reason: new AiError.NetworkError({
      reason: "TransportError",
      method: "POST",
      url: "http://127.0.0.1:1/api/chat",
      description: "connect ECONNREFUSED 127.0.0.1:1"
    })
  })

  nodeTest("makes the run unavailable when it cannot be reached, after two more tries", function* () {
    const running = yield* Effect.forkChild(scriptedRun({ plan: () => refused }))
    for (let pause = 0; pause < 2; pause += 1) {
      yield* untilQuiet
      yield* TestClock.adjust("1 second")
    }
    const { report, events } = yield* Fiber.join(running)
    expect(report.status).toBe("unavailable")
    const failures = events.flatMap((event) => (event.type === "model.failed" ? [event] : []))
    expect(failures.map(({ reason, willRetry }) => [reason, willRetry])).toEqual(
      [true, true, false].map((willRetry) => ["Unreachable", willRetry])
    )
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 5 })
  })

  const openFiles = Array.from({ length: 200 }, () => "a.txt")
  const refusals: ReadonlyArray<readonly [what: string, part: string, order: Partial<RunOrder>, window: number]> = [
    ["a window without room for a plan", "context window", {}, 300],
    ["a window without room for a task", "context window", { plan: planOf([[{ name: "Look" }]]) }, 300],
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

  nodeTest("is counted with its calls and tokens", function* () {
    const { usage } = (yield* scriptedRun({})).report
    expect([usage.modelCalls, usage.toolCalls, usage.promptTokens > 1000]).toEqual([3, 1, true])
  })
})

describe("a JSON schema for the answer", () => {
  const outputSchema = { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] }
  const order = { outputSchema, attachment: { name: "stdin", text: "Error: full disk\n" } }
  const attached = "1: Error: full disk"

  nodeTest("is sent with the conclusion, whose answer is checked and written again", function* () {
    const prompts: Record<string, string> = {}
    const seen = (stage: string, answer: string) => (prompt: string) => {
      prompts[stage] = prompt
      return answer
    }
    const plan = planOf([[{ name: "Research 1", references: "[the log](#attached-input)" }]])
    const script: Script = {
      plan: seen("plan", plan),
      execute: seen("execute", resultSaying("Found.")),
      conclude: (prompt, count) => seen("conclude", count === 1 ? "It was found." : '{ "found": true }')(prompt)
    }
    const { report, events } = yield* scriptedRun(script, {}, order)
    expect([report.status, JSON.parse(report.answer)]).toEqual(["done", { found: true }])
    expect(events.filter(({ type }) => type === "answer.rejected")).toHaveLength(1)
    expect(prompts["plan"]).toMatch(new RegExp(`## Attached input[^]*${attached}`))
    expect(prompts["execute"]).toContain(attached)
    expect(prompts["conclude"]).toContain('"found"')
  })

  nodeTest("fails the run when no answer fits, and gives none", function* () {
    const { report } = yield* scriptedRun({ conclude: (_, count) => `{ "found": ${count} }` }, {}, order)
    expect([report.status, report.answer]).toEqual(["failed", ""])
    expect(report.message).toContain("No valid answer after 5 tries.")
  })

  nodeTest("is none: an attached input goes to the task of a single skill", function* () {
    let seen: FilledPrompt | undefined
    const execute: Script["execute"] = (_, __, whole) => {
      seen = whole
      return resultSaying("Found.")
    }
    const { report } = yield* scriptedRun({ execute }, {}, { attachment: order.attachment, skill: "talk" })
    expect(report.status).toBe("done")
    expect(seen?.user).toContain(attached)
  })
})
