/** Models whose answers are of no use: the run ends with a sentence about the model, and soon. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { runScript, type Script, scripted, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const sentence = /could not .*: 3 answers in a row were of no use\. Try a larger model/
const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const four = planOf([["One", "Two", "Three", "Four"].map((name) => ({ name }))])
const inRow = planOf(["One", "Two", "Three", "Four"].map((name) => [{ name }]))

/** What each useless answer is, however often it is asked for. */
const useless: Readonly<Record<string, (count: number) => string>> = {
  nothing: () => "",
  talk: (count) => `I am not sure what to do ${count}`,
  "a loop": () => "The limit is the limit of the limit. ".repeat(200),
  "another loop each time": (count) => `Word number ${count} again and again. `.repeat(200),
  "the same again": () => "Sure, here it is:"
}

/** Runs a script and counts its model calls. */
const counted = (script: Script) => {
  let calls = 0
  const count =
    <Arguments extends ReadonlyArray<never>, A>(answer: (...given: Arguments) => A) =>
    (...given: Arguments): A => {
      calls += 1
      return answer(...given)
    }
  const all = Object.fromEntries(
    Object.entries(script).map(([stage, answer]) => [
      stage,
      count(answer as unknown as (...given: ReadonlyArray<never>) => never)
    ])
  ) as Script
  return Effect.map(runScript(), (ended) => ({ ...ended, calls })).pipe(
    scripted(all, { settings: { parallel: 1 }, approver: willingApprover() })
  )
}

describe("a model that cannot plan", () => {
  for (const [name, answer] of Object.entries(useless)) {
    it.effect(`is given up after three answers: ${name}`, () =>
      Effect.gen(function* () {
        const { calls, events, report } = yield* counted({ plan: (_, count) => answer(count) })
        expect([report.status, calls]).toEqual(["no_valid_plan", 3])
        expect(report.message).toMatch(sentence)
        expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 3 })
      })
    )
  }

  it.effect("is not given up while its lists get nearer", () =>
    Effect.gen(function* () {
      const { calls, report } = yield* counted({
        plan: (_, count) =>
          count < 5 ? planOf([[{ name: `One ${count}`, skill: `no-skill-${count}` }]]) : planOf([[{ name: "One" }]]),
        refine: () => clock,
        execute: () => resultSaying("Done.")
      })
      expect([report.status, calls]).toEqual(["done", 7])
    })
  )
})

describe("a model that can plan and no more", () => {
  for (const [name, answer] of Object.entries(useless)) {
    it.effect(`is given up in its only task: ${name}`, () =>
      Effect.gen(function* () {
        const { calls, events, report } = yield* counted({
          plan: () => planOf([[{ name: "One" }]]),
          refine: (_, count) => answer(count)
        })
        expect([report.status, calls, report.rounds]).toEqual(["limit", 4, 1])
        expect(report.message).toMatch(sentence)
        expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 6 })
      })
    )
  }

  it.effect("is given up in the first of several sections, and after the second of several tasks side by side", () =>
    Effect.gen(function* () {
      const first = yield* counted({ plan: () => inRow, refine: (_, count) => `Talk ${count}` })
      expect([first.report.status, first.calls]).toEqual(["limit", 4])
      const second = yield* counted({ plan: () => four, refine: (_, count) => `Talk ${count}` })
      expect(second.report.status).toBe("limit")
      expect(second.calls).toBeLessThanOrEqual(1 + 2 * 3 + 1)
      expect(second.report.failures.filter(({ skipped }) => skipped).length).toBeGreaterThan(0)
    })
  )

  it.effect("goes on with the siblings of a task when one of them has a result", () =>
    Effect.gen(function* () {
      const { report } = yield* counted({
        plan: () => planOf([[{ name: "One" }, { name: "Two" }]]),
        refine: (prompt, count) => (taskOf(prompt) === "One" ? `Talk ${count}` : clock),
        execute: () => resultSaying("Done."),
        iterate: () => planOf([]),
        conclude: () => "Half of it."
      })
      expect([report.status, report.answer]).toEqual(["failed", "Half of it."])
    })
  )

  it.effect("is given up when a second task comes to nothing after a first result", () =>
    Effect.gen(function* () {
      const { calls, report } = yield* counted({
        plan: () => inRow,
        refine: (prompt, count) => (taskOf(prompt) === "One" ? clock : `Talk ${count}`),
        execute: () => resultSaying("Done."),
        conclude: () => "A part of it."
      })
      expect([report.status, report.answer]).toEqual(["limit", "A part of it."])
      expect(calls).toBe(1 + 2 + 2 * 3 + 1)
      expect(report.message).toMatch(sentence)
    })
  )
})

describe("a model that is of no use later", () => {
  const start: Script = {
    plan: () => planOf([[{ name: "One" }, { name: "Two" }]]),
    refine: () => clock,
    execute: () => resultSaying("Done.")
  }

  it.effect("is given up at the conclusion", () =>
    Effect.gen(function* () {
      const { calls, report } = yield* counted({ ...start, iterate: () => planOf([]), conclude: () => "" })
      expect([report.status, calls]).toEqual(["limit", 1 + 4 + 1 + 3])
      expect(report.message).toMatch(sentence)
    })
  )

  it.effect("is given up at the iteration", () =>
    Effect.gen(function* () {
      const { report } = yield* counted({
        ...start,
        iterate: (_, count) => `Nothing comes to my mind ${count}`,
        conclude: () => "What there is."
      })
      expect([report.status, report.answer]).toEqual(["limit", "What there is."])
      expect(report.message).toMatch(sentence)
    })
  )
})

describe("a report that looked at nothing", () => {
  const plan = planOf([[{ name: "Find the limit", needed: "Where is the rate limit defined?", skill: "edit-files" }]])
  const talk = "## Result summary\n\nA rate limit is usually defined by the server.\n"

  it.effect("is sent back once and then marked", () =>
    Effect.gen(function* () {
      const { events, report } = yield* counted({ plan: () => plan, refine: () => talk })
      expect(report.facts?.unfounded).toEqual(["Find the limit"])
      expect(report.results[0]?.unfounded).toBe(true)
      const codes = events.flatMap((event) =>
        event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []
      )
      expect(codes[0]).toBe("report-unfounded")
    })
  )
})
