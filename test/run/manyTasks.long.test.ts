/**
 * Runs with more tasks than a small window can show: what is asked about all of them has to fit, too.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { neededTokens } from "../../src/domain/models/PromptSize.ts"
import { runScript, scripted } from "../support/ScriptedRun.ts"
import { planOf } from "../support/TestRun.ts"

it.effect("a run of many tasks in a small window ends with an answer", () => {
  const contextWindow = 4096
  const names = Array.from({ length: 300 }, (_, index) => `Look at item number ${index + 1} of all items`)
  const asked: Array<readonly [stage: string, fits: boolean, left: number]> = []
  const seen =
    (stage: string, answer: string) => (user: string, _count: number, prompt: Parameters<typeof neededTokens>[0]) => {
      const left = /^- (\d+) more tasks have finished/m.exec(user)?.[1]
      asked.push([stage, neededTokens(prompt) <= contextWindow, Number(left)])
      return answer
    }
  return Effect.gen(function* () {
    const plan = planOf([names.map((name) => ({ name, skill: "talk" }))])
    const { report } = yield* runScript({ plan })
    expect([report.status, report.message, report.results.length]).toEqual(["done", "", 300])
    expect(report.answer).toBe("Here it is.")
    expect(asked).toEqual([
      ["iterate", true, expect.any(Number)],
      ["conclude", true, expect.any(Number)]
    ])
    for (const [, , left] of asked) expect(left).toBeGreaterThan(0)
  }).pipe(
    scripted(
      { iterate: seen("iterate", planOf([])), conclude: seen("conclude", "Here it is.") },
      { settings: { contextWindow, parallel: 4 } }
    )
  )
})
