import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fiber from "effect/Fiber"
import * as AiError from "effect/ai/AiError"
import * as TestClock from "effect/testing/TestClock"
import { type RunStage, stageOf } from "../../support/ScriptedRun.ts"
import { unableText } from "../../../src/domain/documents/UselessAnswers.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import type { RunOrder } from "../../../src/domain/runs/RunOrder.ts"
import { Approver, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"
import { layerTestRun, planOf, refinementWith, resultSaying, type TestRunOptions } from "../../support/TestRun.ts"

type Answer = ScriptedAnswer | string | AiError.AiError

/** What the model says in each stage; `count` counts the calls of that stage from 1. */
type Script = Partial<Record<RunStage, (count: number, prompt: FilledPrompt) => Answer>>

const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const write = (path: string) => refinementWith([{ name: "write_file", arguments: { path, content: "new\n" } }])

const usual: Required<Script> = {
  plan: () => planOf([[{ name: "Research 1" }]]),
  refine: () => clock,
  execute: () => resultSaying("Found."),
  iterate: () => planOf([]),
  conclude: () => "Here it is."
}

const model = (script: Script) =>
  Layer.suspend(() => {
    const counts = new Map<RunStage, number>()
    return ScriptedModel.layer((prompt) => {
      const stage = stageOf(prompt)
      const count = (counts.get(stage) ?? 0) + 1
      counts.set(stage, count)
      return (script[stage] ?? usual[stage])(count, prompt)
    })
  })

const run = (order: Partial<RunOrder> = {}) =>
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const log = yield* EventLog
    const report = yield* pipeline.run({ runId: "run-1", prompt: "Do it.", ...order })
    return { report, events: log.events() }
  })

const given = (script: Script, options: TestRunOptions = {}) =>
  Effect.provide(layerTestRun(options).pipe(Layer.provideMerge(model(script))))

const messages = (events: ReadonlyArray<{ readonly type: string }>) =>
  events.filter((event) => event.type === "message")

const readOfA = (count: number) =>
  refinementWith([{ name: "read_file", arguments: { path: "a.txt", start_line: count } }])

describe("planning", () => {
  const plans = [1, 2, 3, 4, 5].map((n) => planOf([[{ name: `Research ${n}`, skill: "unheard-of" }]]))

  it.effect("ends without a valid plan after 5 tries, with the last issues", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect([report.status, report.message]).toEqual([
        "no_valid_plan",
        "Could not build valid task list after 5 tries."
      ])
      expect(report.issues.map((issue) => [issue.code, issue.where.task])).toEqual([["skill-unknown", "Research 5"]])
      expect(events.filter((event) => event.type === "answer.rejected").length).toBe(5)
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 3 })
    }).pipe(given({ plan: (count) => plans[count - 1]! }))
  )

  it.effect("says when the model gave the same plan every time", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect(report.message).toBe(
        `Could not build valid task list after 4 tries. The model gave the same answer every time. ${unableText("embedded", "plan")}`
      )
    }).pipe(given({ plan: () => plans[0]! }))
  )

  it.effect("gives the previous proposal and its issues to the next attempt", () => {
    const prompts: Array<FilledPrompt> = []
    return Effect.gen(function* () {
      const { report } = yield* run()
      expect(report.status).toBe("done")
      expect(prompts[0]!.user).not.toContain("## Previous proposal")
      expect(prompts[1]!.user).toContain(`## Previous proposal\n\n\`\`\`markdown\n${plans[0]!.trim()}`)
      expect(prompts[1]!.user).toContain(
        '## Issues with the previous proposal\n\n1. In section "Task section 1", task "Research 1", field "Skill"'
      )
      expect(prompts[1]!.user).toContain('There is no skill "unheard-of".')
    }).pipe(
      given({
        plan: (count, prompt) => {
          prompts.push(prompt)
          return count === 1 ? plans[0]! : usual.plan(1, prompt)
        }
      })
    )
  })

  it.effect("rejects a plan whose references are larger than the budget", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.issues.map((issue) => issue.code)]).toEqual([
        "no_valid_plan",
        ["references-too-large"]
      ])
    }).pipe(
      given(
        { plan: () => planOf([[{ name: "Research 1", references: "[Big](big.txt)" }]]) },
        { files: { "big.txt": "line\n".repeat(100) }, settings: { referenceBudget: 200 } }
      )
    )
  )

  it.effect("makes one task of a single skill and asks for no plan", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run({ skill: "any" })
      expect([report.status, report.results.map((result) => result.name)]).toEqual(["done", ["any 1"]])
      expect(events.some((event) => event.type === "model.started" && event.call.stage === "plan")).toBe(false)
    }).pipe(given({}))
  )

  it.effect("refuses a single skill that does not exist and names the nearest", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run({ skill: "serch-code" }))
      expect(error).toMatchObject({ _tag: "UnknownSkill", skill: "serch-code" })
      expect(error.message).toContain("search-code")
    }).pipe(given({}))
  )

  it.effect("runs a plan that somebody wrote, and reports the issues of one that is not valid", () =>
    Effect.gen(function* () {
      const good = yield* run({ plan: usual.plan(1, { system: "", user: "" }) as string })
      expect(good.report.status).toBe("done")
      const bad = yield* run({ plan: plans[0]! })
      expect([bad.report.status, bad.report.message, bad.report.issues[0]?.code]).toEqual([
        "no_valid_plan",
        "The plan is not a valid task list.",
        "skill-unknown"
      ])
    }).pipe(given({}))
  )
})

/** A result that leaves something to plan. */
const partly = () => resultSaying("Partly done. Found.")

describe("rounds", () => {
  it.effect("reports that the maximum of rounds is reached with work left", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      const text =
        "Max rounds reached. The limit limits.rounds is 5: resume the run with --max-rounds 10, or raise it in your configuration."
      expect([report.status, report.message, report.rounds]).toEqual(["limit", text, 5])
      expect(report.results.map((result) => result.name)).toEqual([
        "Research 1",
        "More 1",
        "More 2",
        "More 3",
        "More 4"
      ])
      expect(messages(events)).toEqual([{ type: "message", level: "error", text }])
      expect(report.answer).toBe("Here it is.")
    }).pipe(given({ execute: partly, iterate: (count) => planOf([[{ name: `More ${count}` }]]) }))
  )

  it.effect("keeps the outstanding tasks when no iteration is valid, and warns", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect(messages(events)[0]).toEqual({
        type: "message",
        level: "warning",
        text: "Task list iteration: could not get valid task list after 5 tries. The limit is limits.attempts."
      })
      expect(report.status).toBe("failed")
    }).pipe(
      given({
        execute: partly,
        iterate: (count) => planOf([[{ name: `Try ${count}`, skill: "unheard-of" }]])
      })
    )
  )

  it.effect("ends as failed when the same task fails the same way in two rounds", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.rounds]).toEqual(["failed", 2])
      expect(report.failures.map((failure) => failure.message.split(" Last issues: ")[0])).toEqual([
        `Task execution: "Research 1": no valid result after 3 tries. The model gave the same answer every time. ${unableText("embedded", "task")}`,
        `Task execution: "Research 1": no valid result after 3 tries. The model gave the same answer every time. ${unableText("embedded", "task")}`
      ])
      expect(report.message).toBe(`${report.failures[1]!.message} It failed the same way before.`)
    }).pipe(
      given({
        execute: () => "No heading.",
        iterate: (_, prompt) => {
          expect(prompt.user).toContain('## Tasks that failed\n\n- Task execution: "Research 1": no valid result')
          return planOf([[{ name: "Research 1" }]])
        }
      })
    )
  )

  it.effect("fails, but answers, when a task has failed and nothing was planned instead", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.answer]).toEqual(["failed", "Here it is."])
      expect(report.message).toMatch(/^Task refinement: "Bad": no valid tool calls after 3 tries/)
    }).pipe(
      given({
        plan: () => planOf([[{ name: "Good" }, { name: "Bad" }]]),
        refine: (_, prompt) => (prompt.user.includes("**Name** Bad") ? "I will not." : clock)
      })
    )
  )

  it.effect("is done when a later round gets by without the task that failed", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.failures.length, report.results.map((result) => result.name)]).toEqual([
        "done",
        1,
        ["Good", "Instead"]
      ])
    }).pipe(
      given({
        plan: () => planOf([[{ name: "Good" }, { name: "Research 1" }]]),
        refine: (_, prompt) => (prompt.user.includes("**Name** Research 1") ? "I will not." : clock),
        iterate: (count) => (count === 1 ? planOf([[{ name: "Instead" }]]) : planOf([]))
      })
    )
  )

  it.effect("drops finished tasks that iteration repeats", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect(report.results.map((result) => result.name)).toEqual(["Research 1", "Next"])
      expect(
        events.flatMap((event) => (event.type === "answer.repaired" ? event.repairs.map((one) => one.where.task) : []))
      ).toContain("Research 1")
    }).pipe(
      given({
        execute: partly,
        iterate: (count) => (count === 1 ? planOf([[{ name: "Research 1" }, { name: "Next" }]]) : planOf([]))
      })
    )
  )
})

/** A person who gives one answer to every step and denies every single call. */
const answering = (answer: "step" | "decline") =>
  Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.succeed({ answer, by: "person" }),
      call: () => Effect.succeed({ answer: "deny", by: "person" }),
      inDoubt: () => stopAtUncertain
    })
  )

describe("approval", () => {
  const writing: Script = {
    plan: () => planOf([[{ name: "Read" }], [{ name: "Write" }]]),
    refine: (_, prompt) => (prompt.user.includes("**Name** Write") ? write("out.txt") : clock)
  }

  it.effect("asks for a high risk call that the list does not gate, and runs it when approved", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect([report.status, report.results.map((result) => result.name)]).toEqual(["done", ["Read", "Write"]])
      const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event] : []))
      expect(
        asked.map((event) => [event.scope, event.title, event.items.map((item) => [item.task, item.tool, item.risk])])
      ).toEqual([["step", "Task section 2", [["Write", "write_file", "high"]]]])
      expect(report.results[1]!.calls[0]!.result.success).toBe(true)
    }).pipe(given(writing, { approver: answering("step") }))
  )

  it.effect("ends as declined and keeps the results so far", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect([report.status, report.message, report.results.map((result) => result.name)]).toEqual([
        "declined",
        'You declined "Step 2". Not done: "Write".',
        ["Read"]
      ])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
    }).pipe(given(writing, { approver: answering("decline") }))
  )

  it.effect("is not permitted when a step needs approval and nobody can be asked", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect([report.status, report.message]).toEqual([
        "not_permitted",
        '"Step 2" was not approved: no terminal to ask on. Use --yes to approve beforehand. Not done: "Write".'
      ])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
    }).pipe(given(writing))
  )

  const unasked = planOf([[{ name: "Write 1" }]]).replace("A word.", "A word.\n- **Requires user approval** no")
  it.effect("asks for a high risk call although the list says that no approval is required", () =>
    Effect.gen(function* () {
      const { events, report } = yield* run()
      expect(report.status).toBe("declined")
      expect(events.filter((event) => event.type === "approval.requested")).toMatchObject([
        { scope: "step", items: [{ task: "Write 1", tool: "write_file", risk: "high" }] }
      ])
    }).pipe(
      given(
        { plan: () => unasked, refine: () => write("out.txt") },
        { approver: scriptedApprover({ steps: ["decline"] }).layer }
      )
    )
  )

  it.effect("asks for a task that only the list gates", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect(report.status).toBe("declined")
    }).pipe(given({ plan: () => planOf([[{ name: "Look", gated: true }]]) }, { approver: answering("decline") }))
  )

  it.effect("asks again in a new round for tasks that were not there when all remaining steps were approved", () => {
    const asked: Array<string> = []
    const remaining = Layer.succeed(Approver)(
      Approver.of({
        step: (_, items) =>
          Effect.sync(() => {
            asked.push(items.map((item) => item.task).join())
            return { answer: "remaining" as const, by: "person" as const }
          }),
        call: () => Effect.succeed({ answer: "deny", by: "person" }),
        inDoubt: () => stopAtUncertain
      })
    )
    return Effect.gen(function* () {
      const { report } = yield* run()
      expect(report.status).toBe("done")
      expect(asked).toEqual(["Write 1", "Write 3"])
    }).pipe(
      given(
        {
          plan: () => planOf([[{ name: "Write 1" }], [{ name: "Write 2" }]]),
          refine: (count) => write(`out-${count}.txt`),
          iterate: (count) => (count === 1 ? planOf([[{ name: "Write 3" }]]) : planOf([]))
        },
        { approver: remaining }
      )
    )
  })

  const unwilling = scriptedApprover({ calls: ["deny"] })
  it.effect("is not permitted when a task failed because its reference was denied", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      expect([report.status, report.failures.length]).toEqual(["not_permitted", 1])
      expect(report.message).toContain("Permission denied: a person denied read_file on ")
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
    }).pipe(
      given(
        { plan: () => planOf([[{ name: "Talk 1", skill: "talk", references: "[A](.env)" }]]) },
        { files: { ".env": "a\n" }, approver: unwilling.layer }
      )
    )
  )

  it.effect("tells the planner of references that are certain to be denied, and runs its next list", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run()
      const issues = events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
      expect(issues.map(({ code, what }) => [code, what])).toEqual([
        ["reference-denied", expect.stringMatching(/^The rule "deny read_file:a.txt" forbids reading .*a\.txt\.$/)],
        [
          "reference-denied",
          'No rule allows reading https://example.org/ and nobody can be asked in this run; --allow "fetch_url:https://example.org/" would allow it.'
        ]
      ])
      expect([report.status, report.failures]).toEqual(["done", []])
    }).pipe(
      given(
        {
          plan: (count) => {
            const references = count === 1 ? "[A](a.txt), [B](https://example.org/), [C](b.txt)" : "[C](b.txt)"
            return planOf([[{ name: "Talk 1", skill: "talk", references }]])
          }
        },
        {
          files: { "a.txt": "a\n", "b.txt": "b\n" },
          rules: [{ verdict: "deny", tool: "read_file", pattern: "a.txt" }]
        }
      )
    )
  )

  const declining = scriptedApprover({ calls: ["deny", "deny", "deny"] })
  it.effect("ends a task when a person has declined the same effect three times, and asks no more", () =>
    Effect.gen(function* () {
      const { events, report } = yield* run()
      const project = events.flatMap((event) => (event.type === "run.started" ? [event.project] : []))[0] ?? ""
      const why = `Task execution: "Research 1": Permission denied: a person denied read_file on ${project}/a.txt 3 times, so the task ends.`
      expect([report.status, report.message]).toEqual(["not_permitted", `${why} It failed the same way before.`])
      expect(report.failures.map((failure) => failure.message)).toEqual([why, why])
      expect(declining.asked.length).toBe(3)
    }).pipe(
      given(
        {
          refine: readOfA,
          execute: readOfA,
          iterate: () => planOf([[{ name: "Research 1" }]])
        },
        { files: { "a.txt": "1\n2\n3\n" }, approver: declining.layer }
      )
    )
  )

  const choosing = scriptedApprover({ steps: [{ chosen: [2] }] })
  it.effect("runs the chosen calls of a step and gives the others a denial by the user", () =>
    Effect.gen(function* () {
      const { events, report } = yield* run()
      expect(report.status).toBe("not_permitted")
      expect(report.results[0]?.calls.map(({ result }) => [result.success, result.error_type])).toEqual([
        [false, "permission_denied"],
        [true, "none"]
      ])
      expect(report.results[0]?.calls[0]?.result.error_message).toMatch(
        /^Permission denied: a person denied write_file on .*\/a\.txt\.$/
      )
      expect(events.filter((event) => event.type === "approval.answered")).toMatchObject([
        { scope: "step", answer: "chosen", chosen: [2], by: "person" }
      ])
    }).pipe(
      given(
        {
          refine: () =>
            refinementWith(
              ["a.txt", "b.txt"].map((path) => ({ name: "write_file", arguments: { path, content: "new\n" } }))
            )
        },
        { approver: choosing.layer }
      )
    )
  )

  it.effect("does not call denied work done", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.answer]).toEqual(["not_permitted", "Here it is."])
      expect(report.results[0]!.calls[0]!.result.error_type).toBe("permission_denied")
    }).pipe(
      given(
        { refine: () => refinementWith([{ name: "read_file", arguments: { path: "a.txt" } }]) },
        { files: { "a.txt": "a\n" }, rules: [{ verdict: "deny", tool: "read_file" }] }
      )
    )
  )
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

  it.effect("makes the run unavailable when it cannot be reached, after two more tries", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(run())
      for (let pause = 0; pause < 2; pause += 1) {
        yield* untilQuiet
        yield* TestClock.adjust("1 second")
      }
      const { report, events } = yield* Fiber.join(running)
      expect(report.status).toBe("unavailable")
      expect(
        events.flatMap((event) => (event.type === "model.failed" ? [[event.reason, event.willRetry]] : []))
      ).toEqual([
        ["Unreachable", true],
        ["Unreachable", true],
        ["Unreachable", false]
      ])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 5 })
    }).pipe(given({ plan: () => refused }))
  )

  const refusals: ReadonlyArray<readonly [what: string, part: string, order: Partial<RunOrder>, window: number]> = [
    ["a window without room for a plan", "context window", {}, 300],
    ["a window without room for a task", "context window", { plan: planOf([[{ name: "Look" }]]) }, 300],
    ["a window without room for a task with a skill", "context window", { skill: "any" }, 300],
    ["a prompt that is larger than the window", "prompt", { prompt: "word ".repeat(9000) }, 8192],
    ["a prompt that no task can be shown", "prompt", { skill: "any", prompt: "word ".repeat(9000) }, 8192],
    [
      "open files that fill the window",
      "context window",
      { openFiles: Array.from({ length: 200 }, () => "a.txt") },
      300
    ]
  ]
  it.effect.each(refusals)("refuses %s before the run begins, with what would do", ([, part, order, contextWindow]) =>
    Effect.gen(function* () {
      const { error, events } = yield* Effect.flatMap(EventLog, (log) =>
        Effect.map(Effect.flip(run(order)), (found) => ({ error: found, events: log.events() }))
      )
      expect(error).toMatchObject({ _tag: "BriefingError", part })
      expect(error.message).toMatch(
        new RegExp(
          `The prompt needs about \\d+ tokens, the context window holds ${contextWindow}\\..* to at least \\d+\\.$`
        )
      )
      expect(events).toEqual([])
    }).pipe(given({}, { files: { "a.txt": "A." }, settings: { contextWindow } }))
  )

  it.effect("counts calls and tokens", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.usage.modelCalls, report.usage.toolCalls, report.usage.promptTokens > 1000]).toEqual([3, 1, true])
    }).pipe(given({}))
  )
})

describe("limits", () => {
  it.effect("come from the settings", () =>
    Effect.gen(function* () {
      const { report } = yield* run()
      expect([report.status, report.rounds]).toEqual(["limit", 2])
    }).pipe(
      given(
        { execute: partly, iterate: (count) => planOf([[{ name: `More ${count}` }]]) },
        { settings: { limits: { ...defaultLimits, rounds: 2 } } }
      )
    )
  )
})

describe("a JSON schema for the answer", () => {
  const outputSchema = { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] }
  const order = { outputSchema, attachment: { name: "stdin", text: "Error: full disk\n" } }

  it.effect("is sent with the conclusion, whose answer is checked and written again", () =>
    Effect.gen(function* () {
      const { report, events } = yield* run(order)
      expect([report.status, JSON.parse(report.answer)]).toEqual(["done", { found: true }])
      expect(events.filter(({ type }) => type === "answer.rejected")).toHaveLength(1)
    }).pipe(
      given({
        plan: (_count, prompt) => {
          expect(prompt.user).toContain("## Attached input")
          expect(prompt.user).toContain("1: Error: full disk")
          return planOf([[{ name: "Research 1", references: "[the log](#attached-input)" }]])
        },
        execute: (_count, prompt) => {
          expect(prompt.user).toContain("1: Error: full disk")
          return resultSaying("Found.")
        },
        conclude: (count, prompt) => {
          expect(prompt.user).toContain('"found"')
          return count === 1 ? "It was found." : '{ "found": true }'
        }
      })
    )
  )

  it.effect("fails the run when no answer fits, and gives none", () =>
    Effect.gen(function* () {
      const { report } = yield* run(order)
      expect([report.status, report.answer]).toEqual(["failed", ""])
      expect(report.message).toContain("No valid answer after 5 tries.")
    }).pipe(given({ conclude: (count) => `{ "found": ${count} }` }))
  )

  it.effect("leaves an attached input to the task of a single skill", () =>
    Effect.gen(function* () {
      const { report } = yield* run({ attachment: order.attachment, skill: "talk" })
      expect(report.status).toBe("done")
    }).pipe(
      given({
        execute: (_count, prompt) => {
          expect(prompt.user).toContain("1: Error: full disk")
          return resultSaying("Found.")
        }
      })
    )
  )
})
