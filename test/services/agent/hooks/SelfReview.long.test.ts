/** What the answer to the look back leads to. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultLimits } from "../../../../src/domain/configuration/Limits.ts"
import { resultSaying } from "../../../support/TestRun.ts"
import {
  testRunner,
  after,
  block,
  fixed,
  testing,
  order,
  open,
  first,
  isQuestion,
  lastOf
} from "../../../support/SelfReviewWork.ts"

const cutting = (from: string, to: string): string =>
  block("src/slug.mjs", `  return text.slice(0, ${from})\n`, `  return text.slice(0, ${to})\n`)

layer(NodeServices.layer, { excludeTestServices: true })("the look back", (it) => {
  it.effect("comes after a report beside the change, but not beside one that fails the checks", () =>
    Effect.gen(function* () {
      const whole = block(
        "src/slug.mjs",
        "  return text.slice(0, 6)\n",
        after.split("\n").slice(1, -2).join("\n") + "\n"
      )
      const { log, taskAgent, messages } = yield* open([
        ...[cutting("max", "4"), cutting("4", "5"), cutting("5", "6")].map(
          (change) => `${change}\n${resultSaying("It is done.")}`
        ),
        `${whole}\n${first}`,
        "No such line."
      ])
      expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
      expect(lastOf(messages).map((text) => [isQuestion(text), text?.includes("exit code 1")])).toEqual([
        [false, false],
        ...[1, 2, 3].map(() => [false, true]),
        [true, false]
      ])
      expect(log.events().filter(({ type }) => type === "answer.rejected")).toEqual([])
    })
  )

  it.effect("costs one call when there is no such line, and takes the report from before", () =>
    Effect.gen(function* () {
      for (const answer of ["No such line.", first]) {
        const { taskAgent, messages } = yield* open([fixed, first, answer])
        expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
        expect(messages).toHaveLength(3)
      }
    })
  )

  it.effect("asks for another report when the test led to a change of the source code", () =>
    Effect.gen(function* () {
      const repaired = block("src/slug.mjs", '  let kept = ""\n', '  if (max === 0) return null\n  let kept = ""\n')
      const { taskAgent, messages } = yield* open([
        fixed,
        first,
        testing("assert.strictEqual(slug('a', 0), null)"),
        repaired,
        resultSaying("Nothing has room in 0 letters.")
      ])
      const refinement = yield* taskAgent.work(order)
      expect(messages).toHaveLength(5)
      expect(refinement.result?.summary).toBe("Nothing has room in 0 letters.")
    })
  )

  it.effect("asks for another report when the answer takes a change of the source code back", () =>
    Effect.gen(function* () {
      const raised = block("src/words.mjs", "export const wordLimit = 1\n", "export const wordLimit = 2\n")
      const lowered = block("src/words.mjs", "export const wordLimit = 2\n", "export const wordLimit = 1\n")
      const { taskAgent, messages } = yield* open([
        `${fixed}\n${raised}`,
        resultSaying("The words stay whole, and the limit is 2."),
        `${lowered}\n${testing("assert.strictEqual(slug('ab cd', 3), 'ab')")}`,
        first
      ])
      expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
      expect(messages).toHaveLength(4)
    })
  )

  it.effect("takes back what fails when the answers run out, and takes the report from before", () =>
    Effect.gen(function* () {
      const failing = testing("assert.fail('never')")
      const fails = resultSaying("It fails.")
      const { taskAgent, messages } = yield* open([fixed, first, failing, fails, fails, fails], {
        settings: { checks: [testRunner], limits: { ...defaultLimits, turns: 6 } }
      })
      const refinement = yield* taskAgent.work(order)
      expect(lastOf(messages)[3]).toContain("never")
      expect(refinement.result?.summary).toBe("The words stay whole.")
      expect(refinement.files?.map(({ path }) => path)).toEqual(["src/slug.mjs"])
      expect(refinement.checks?.every(({ exitCode }) => exitCode === 0)).toBe(true)
    })
  )
})
