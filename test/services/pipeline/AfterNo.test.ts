import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Answered, CallAnswer, StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { runScript, type Script, scripted, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith } from "../../support/TestRun.ts"
import { isAboutSandbox } from "../../support/sandboxMessage.ts"

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
const write = (path: string) => refinementWith([{ name: "write_file", arguments: { path, content: "new\n" } }])

/** Reads, then writes `a.txt`; later rounds write `b.txt`. */
const script = (seen: { iterations: Array<string>; conclusions: Array<string> }): Script => ({
  plan: () => planOf([[{ name: "Read" }], [{ name: "Write a" }], [{ name: "Sum up", skill: "talk" }]]),
  refine: (prompt) =>
    taskOf(prompt) === "Read"
      ? refinementWith([{ name: "get_current_time", arguments: {} }])
      : write(taskOf(prompt) === "Write a" ? "a.txt" : "b.txt"),
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
  const alone = nothingSeen()
  it.effect("the run answers with what was found and says what was not done", () =>
    Effect.gen(function* () {
      const { events, report } = yield* runScript()
      expect([report.status, report.answer, report.message]).toEqual([
        "declined",
        "What was read.",
        'You declined "Step 2". Not done: "Write a", "Sum up".'
      ])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 4 })
      const why = 'The user declined "Task section 2".'
      expect(alone.conclusions[0]).toContain(`## Tasks that were not run\n\n- "Write a": ${why}\n- "Sum up": ${why}`)
      expect(alone.iterations).toEqual([])
    }).pipe(scripted(script(alone), { approver: answering({ steps: [declined] }) }))
  )

  const nobody = nothingSeen()
  it.effect("that nobody could answer, the run answers likewise", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript()
      expect([report.status, report.answer]).toEqual(["not_permitted", "What was read."])
      expect(nobody.conclusions[0]).toContain('- "Write a": Nobody could approve "Task section 2".')
    }).pipe(scripted(script(nobody)))
  )

  it.effect("the run stays declined when there is no answer", () =>
    Effect.gen(function* () {
      const { events, report } = yield* runScript()
      expect([report.status, report.answer]).toEqual(["declined", ""])
      const messages = events.flatMap((event) => (event.type === "message" ? [event] : []))
      const levels = messages.filter(({ text }) => !isAboutSandbox(text)).map(({ level }) => level)
      expect(levels).toEqual(["warning", "info"])
    }).pipe(scripted({ ...script(nothingSeen()), conclude: () => "" }, { approver: answering({ steps: [declined] }) }))
  )

  const told = nothingSeen()
  it.effect("with words, the next round does what they say, and the run is done", () =>
    Effect.gen(function* () {
      const { events, report } = yield* runScript()
      expect(told.iterations[0]).toContain(
        '## What the user wants instead\n\n- The user declined "Task section 2" and said: Write b.txt and leave a.txt alone.'
      )
      expect(told.iterations[1]).not.toContain("## What the user wants instead")
      expect(report.results.map(({ name }) => name)).toEqual(["Read", "Write b"])
      expect([report.status, report.answer, report.message]).toEqual(["done", "What was read.", ""])
      expect(events.filter((event) => event.type === "approval.answered")).toMatchObject([
        { scope: "step", answer: "decline", instead },
        { scope: "step", answer: "step" }
      ])
    }).pipe(scripted(script(told), { approver: answering({ steps: [{ ...declined, instead }] }) }))
  )
})

/** What comes of words after a no, by what the tasks of the next round do. */
const replacements: Readonly<
  Record<string, { readonly next: ReadonlyArray<string>; readonly status: string; readonly exitCode: number }>
> = {
  "nothing is left to do": { next: [], status: "declined", exitCode: 4 },
  "a task only looks": { next: ["Read"], status: "declined", exitCode: 4 },
  "a task only talks": { next: ["Sum up"], status: "declined", exitCode: 4 },
  "a task makes a change": { next: ["Write b"], status: "done", exitCode: 0 }
}

describe("words after a no to a change", () => {
  for (const [name, { exitCode, next, status }] of Object.entries(replacements)) {
    it.effect(`end a run as ${status} when ${name}`, () =>
      Effect.gen(function* () {
        const { events, report } = yield* runScript()
        expect([report.status, report.message]).toEqual([
          status,
          status === "done"
            ? ""
            : 'You declined "Step 1" and wanted instead: Write b.txt and leave a.txt alone. Nothing was done for that.'
        ])
        expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode })
        expect(report.facts?.declined).toEqual([{ declined: "Step 1", instead }])
      }).pipe(
        scripted(
          {
            ...script(nothingSeen()),
            plan: () => planOf([[{ name: "Write a" }]]),
            refine: (prompt) =>
              taskOf(prompt).startsWith("Write")
                ? write(taskOf(prompt) === "Write a" ? "a.txt" : "b.txt")
                : refinementWith([{ name: "get_current_time", arguments: {} }]),
            iterate: (_, count) =>
              planOf(
                count === 1 && next.length > 0
                  ? [next.map((task) => ({ name: `${task} 2`, skill: task === "Sum up" ? "talk" : "any" }))]
                  : []
              )
          },
          { approver: answering({ steps: [{ ...declined, instead }] }) }
        )
      )
    )
  }
})

/** How a task ends that is denied `.env`, with words, and then calls a tool, if one is named. */
const ended = (second: string) =>
  runScript().pipe(
    Effect.map(({ report }) => [report.status, report.message]),
    scripted(
      {
        plan: () => planOf([[{ name: "Read 1" }]]),
        refine: () => refinementWith([{ name: "read_file", arguments: { path: ".env" } }]),
        execute: (_, count) =>
          count === 1 && second !== ""
            ? refinementWith([{ name: second, arguments: second === "read_file" ? { path: "c.txt" } : {} }])
            : "## Result summary\n\nRead."
      },
      {
        files: { ".env": "A=1\n", "c.txt": "c\n" },
        approver: answering({ calls: [{ answer: "deny", by: "person", instead: "Read c.txt." }] })
      }
    )
  )

describe("after a no to a call", () => {
  it.effect("words that the same task follows end the run as done, and other words do not", () =>
    Effect.gen(function* () {
      expect(yield* ended("read_file")).toEqual(["done", ""])
      for (const other of ["", "get_current_time"]) {
        const [status, message] = yield* ended(other)
        expect(status).toBe("declined")
        expect(message).toMatch(/^You declined "read_file .*\.env" and wanted instead: Read c\.txt\. Nothing was done/)
      }
    })
  )

  const denied = { answer: "deny", by: "person", instead: "Read c.txt." } as const
  const prompts: Array<string> = []
  const results: Array<string> = []

  it.effect("its words are in the result of the call and in the next round", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript()
      /* A later task of the same skill read what the user wanted instead. */
      expect(report.status).toBe("done")
      expect(report.facts?.denied).toEqual([{ tool: "read_file", targets: [".env"], by: "person" }])
      expect(results[0]).toContain("a person denied read_file on")
      expect(results[0]).toContain("and said what to do instead: Read c.txt.")
      expect(prompts[0]).toMatch(/- The user declined "read_file \/.*\.env" and said: Read c\.txt\./)
      expect(report.results.map(({ name }) => name)).toEqual(["Research 1", "Read c"])
    }).pipe(
      scripted(
        {
          refine: (prompt) =>
            refinementWith([
              { name: "read_file", arguments: { path: taskOf(prompt) === "Read c" ? "c.txt" : ".env" } }
            ]),
          execute: (prompt) => {
            results.push(prompt)
            return "## Result summary\n\nRead."
          },
          iterate: (prompt, count) => {
            prompts.push(prompt)
            return planOf(count === 1 ? [[{ name: "Read c" }]] : [])
          }
        },
        { files: { ".env": "A=1\n", "c.txt": "c\n" }, approver: answering({ calls: [denied] }) }
      )
    )
  )
})
