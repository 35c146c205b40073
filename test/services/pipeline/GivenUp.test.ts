/** Models whose answers are of no use: the run ends with a sentence about the model, and soon. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { type Script, scriptedRun, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

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
const counted = (script: Script) =>
  Effect.map(scriptedRun(script, { settings: { parallel: 1 }, approver: willingApprover() }), (ended) => ({
    ...ended,
    calls: ended.events.filter(({ type }) => type === "model.started").length
  }))

describe("a model that cannot plan", () => {
  for (const [name, answer] of Object.entries(useless)) {
    nodeTest(`is given up after three answers: ${name}`, function* () {
      const { calls, events, report } = yield* counted({ plan: (_, count) => answer(count) })
      expect([report.status, calls]).toEqual(["no_valid_plan", 3])
      expect(report.message).toMatch(sentence)
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 3 })
    })
  }

  nodeTest("is not given up while its lists get nearer", function* () {
    const { calls, report } = yield* counted({
      plan: (_, count) =>
        count < 5 ? planOf([[{ name: `One ${count}`, skill: `no-skill-${count}` }]]) : planOf([[{ name: "One" }]]),
      refine: () => clock,
      execute: () => resultSaying("Done.")
    })
    expect([report.status, calls]).toEqual(["done", 7])
  })
})

describe("a model that can plan and no more", () => {
  nodeTest("is given up in its only task", function* () {
    const { calls, events, report } = yield* counted({
      plan: () => planOf([[{ name: "One" }]]),
      refine: (_, count) => `Talk ${count}`
    })
    expect([report.status, calls, report.rounds]).toEqual(["limit", 4, 1])
    expect(report.message).toMatch(sentence)
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 6 })
  })

  nodeTest("is given up in the first of several sections, or after the second task of one", function* () {
    const first = yield* counted({ plan: () => inRow, refine: (_, count) => `Talk ${count}` })
    expect([first.report.status, first.calls]).toEqual(["limit", 4])
    const second = yield* counted({ plan: () => four, refine: (_, count) => `Talk ${count}` })
    expect(second.report.status).toBe("limit")
    expect(second.calls).toBeLessThanOrEqual(1 + 2 * 3 + 1)
    expect(second.report.failures.filter(({ skipped }) => skipped).length).toBeGreaterThan(0)
  })

  nodeTest("goes on with the siblings of a task when one of them has a result", function* () {
    const { report } = yield* counted({
      plan: () => planOf([[{ name: "One" }, { name: "Two" }]]),
      refine: (prompt, count) => (taskOf(prompt) === "One" ? `Talk ${count}` : clock),
      execute: () => resultSaying("Done."),
      iterate: () => planOf([]),
      conclude: () => "Half of it."
    })
    expect([report.status, report.answer]).toEqual(["failed", "Half of it."])
  })

  nodeTest("is given up when a second task comes to nothing after a first result", function* () {
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
})

describe("a model that is of no use later", () => {
  const start: Script = {
    plan: () => planOf([[{ name: "One" }, { name: "Two" }]]),
    refine: () => clock,
    execute: () => resultSaying("Done.")
  }

  nodeTest("is given up at the conclusion, and at the iteration", function* () {
    const { calls, report } = yield* counted({ ...start, iterate: () => planOf([]), conclude: () => "" })
    expect([report.status, calls]).toEqual(["limit", 1 + 4 + 1 + 3])
    expect(report.message).toMatch(sentence)
    const second = yield* counted({
      ...start,
      iterate: (_, count) => `Nothing comes to my mind ${count}`,
      conclude: () => "What there is."
    })
    expect([second.report.status, second.report.answer]).toEqual(["limit", "What there is."])
    expect(second.report.message).toMatch(sentence)
  })
})

describe("a report that looked at nothing", () => {
  const plan = planOf([[{ name: "Find the limit", needed: "Where is the rate limit defined?", skill: "edit-files" }]])
  const talk = "## Result summary\n\nA rate limit is usually defined by the server.\n"

  nodeTest("is marked in the result and in the facts", function* () {
    const { report } = yield* counted({ plan: () => plan, refine: () => talk })
    expect(report.facts?.unfounded).toEqual(["Find the limit"])
    expect(report.results[0]?.unfounded).toBe(true)
  })
})
