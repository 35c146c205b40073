import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Answered, CallAnswer, StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { type Script, scriptedRun, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { isAboutSandbox } from "../../support/sandboxMessage.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** A person who gives these answers in order, and approves whatever comes after them. */
const answering = (given: {
  readonly steps?: ReadonlyArray<Answered<StepAnswer>>
  readonly calls?: ReadonlyArray<Answered<CallAnswer>>
}) =>
  Layer.sync(Approver)(() => {
    const steps = [...(given.steps ?? [])]
    const calls = [...(given.calls ?? [])]
    return Approver.of({
      step: () => Effect.sync(() => steps.shift() ?? { answer: "step", by: "person" }),
      call: () => Effect.sync(() => calls.shift() ?? { answer: "once", by: "person" }),
      inDoubt: () => stopAtUncertain
    })
  })

const declined = { answer: "decline", by: "person" } as const
const instead = "Write b.txt\n  and leave a.txt alone."
const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const write = (path: string) => refinementWith([{ name: "write_file", arguments: { path, content: "new\n" } }])

/** Reads, then writes `a.txt`; later rounds write `b.txt`. */
const script = (seen: { iterations: Array<string>; conclusions: Array<string> }): Script => ({
  plan: () => planOf([[{ name: "Read" }], [{ name: "Write a" }], [{ name: "Sum up", skill: "talk" }]]),
  refine: (prompt) => (taskOf(prompt) === "Read" ? clock : write(taskOf(prompt) === "Write a" ? "a.txt" : "b.txt")),
  iterate: (prompt) => {
    seen.iterations.push(prompt)
    return planOf(seen.iterations.length === 1 ? [[{ name: "Write b" }]] : [])
  },
  conclude: (prompt) => {
    seen.conclusions.push(prompt)
    return "What was read."
  }
})

const nothingSeen = () => ({ iterations: new Array<string>(), conclusions: new Array<string>() })

describe("after a no to a step", () => {
  nodeTest("the run answers with what was found and says what was not done", function* () {
    const seen = nothingSeen()
    const { events, report } = yield* scriptedRun(script(seen), { approver: answering({ steps: [declined] }) })
    expect([report.status, report.answer, report.message]).toEqual([
      "declined",
      "What was read.",
      'You declined "Step 2". Not done: "Write a", "Sum up".'
    ])
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
    const why = 'The user declined "Task section 2".'
    expect(seen.conclusions[0]).toContain(`## Tasks that were not run\n\n- "Write a": ${why}\n- "Sum up": ${why}`)
    expect(seen.iterations).toEqual([])
  })

  nodeTest("that nobody could answer, the run answers likewise", function* () {
    const seen = nothingSeen()
    const { events, report } = yield* scriptedRun(script(seen))
    expect([report.status, report.answer]).toEqual(["not_permitted", "What was read."])
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
    expect(seen.conclusions[0]).toContain('- "Write a": Nobody could approve "Task section 2".')
  })

  nodeTest("the run stays declined when there is no answer", function* () {
    const approver = answering({ steps: [declined] })
    const { events, report } = yield* scriptedRun({ ...script(nothingSeen()), conclude: () => "" }, { approver })
    expect([report.status, report.answer]).toEqual(["declined", ""])
    const messages = events.flatMap((event) => (event.type === "message" ? [event] : []))
    const levels = messages.filter(({ text }) => !isAboutSandbox(text)).map(({ level }) => level)
    expect(levels).toEqual(["warning", "info"])
  })
})

/** What comes of words after a no, by what the tasks of the next round do. */
const replacements = [
  ["nothing is left to do", undefined, "declined", 4],
  ["a task only looks", { name: "Read 2", skill: "any" }, "declined", 4],
  ["a task only talks", { name: "Sum up 2", skill: "talk" }, "declined", 4],
  ["a task makes a change", { name: "Write b", skill: "any" }, "done", 0]
] as const

describe("words after a no to a change", () => {
  for (const [name, next, status, exitCode] of replacements) {
    nodeTest(`end a run as ${status} when ${name}`, function* () {
      const { events, report } = yield* scriptedRun(
        {
          ...script(nothingSeen()),
          plan: () => planOf([[{ name: "Write a" }]]),
          refine: (prompt) =>
            taskOf(prompt).startsWith("Write") ? write(taskOf(prompt) === "Write a" ? "a.txt" : "b.txt") : clock,
          iterate: (_, count) => planOf(count === 1 && next !== undefined ? [[next]] : [])
        },
        { approver: answering({ steps: [{ ...declined, instead }] }) }
      )
      const why =
        'You declined "Step 1" and wanted instead: Write b.txt and leave a.txt alone. Nothing was done for that.'
      expect([report.status, report.message]).toEqual([status, status === "done" ? "" : why])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode })
      expect(report.facts?.declined).toEqual([{ declined: "Step 1", instead }])
    })
  }
})

const read = (path: string) => refinementWith([{ name: "read_file", arguments: { path } }])
const denied = { answer: "deny", by: "person", instead: "Read c.txt." } as const
const secret = { ".env": "A=1\n", "c.txt": "c\n" }

describe("after a no to a call", () => {
  nodeTest("words that the same task follows end the run as done, and other words do not", function* () {
    for (const [second, status] of [
      [read("c.txt"), "done"],
      [resultSaying("Read."), "declined"],
      [clock, "declined"]
    ] as const) {
      const { report } = yield* scriptedRun(
        {
          plan: () => planOf([[{ name: "Read 1" }]]),
          refine: () => read(".env"),
          execute: (_, count) => (count === 1 ? second : resultSaying("Read."))
        },
        { files: secret, approver: answering({ calls: [denied] }) }
      )
      expect(report.status).toBe(status)
      expect(report.message).toMatch(
        status === "done"
          ? /^$/
          : /^You declined "read_file .*\.env" and wanted instead: Read c\.txt\. Nothing was done/
      )
    }
  })

  nodeTest("its words are in the result of the call and in the next round", function* () {
    const prompts: Array<string> = []
    const results: Array<string> = []
    const { report } = yield* scriptedRun(
      {
        refine: (prompt) => read(taskOf(prompt) === "Read c" ? "c.txt" : ".env"),
        execute: (prompt) => {
          results.push(prompt)
          return resultSaying("Read.")
        },
        iterate: (prompt, count) => {
          prompts.push(prompt)
          return planOf(count === 1 ? [[{ name: "Read c" }]] : [])
        }
      },
      { files: secret, approver: answering({ calls: [denied] }) }
    )
    /* A later task of the same skill read what the user wanted instead. */
    expect(report.status).toBe("done")
    expect(report.facts?.denied).toEqual([{ tool: "read_file", targets: [".env"], by: "person" }])
    expect(results[0]).toMatch(/a person denied read_file on .* and said what to do instead: Read c\.txt\./)
    expect(prompts[0]).toMatch(/- The user declined "read_file \/.*\.env" and said: Read c\.txt\./)
    expect(report.results.map(({ name }) => name)).toEqual(["Research 1", "Read c"])
  })
})
