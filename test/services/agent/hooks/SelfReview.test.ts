import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultLimits } from "../../../../src/domain/configuration/Limits.ts"
import { selfReviewText } from "../../../../src/domain/documents/SelfReview.ts"
import { type OpenStages } from "../../../support/OpenStages.ts"
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

layer(NodeServices.layer, { excludeTestServices: true })("the look back", (it) => {
  it.effect("asks once for a case that no test treats, with the places that use the change", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        fixed,
        first,
        `Line: src/page.mjs:2\n\n${testing("assert.strictEqual(slug('ab cd', 3), 'ab')")}`
      ])
      const refinement = yield* taskAgent.work(order)
      expect(lastOf(messages)[2]).toBe(
        selfReviewText(["- src/page.mjs:2: export const address = (title) => `/p/${slug(title, 40)}` (calls `slug`)"])
      )
      expect(lastOf(messages).filter(isQuestion)).toHaveLength(1)
      expect(messages).toHaveLength(3)
      expect(refinement.result?.summary).toBe("The words stay whole.")
      expect(refinement.files?.map(({ path }) => path)).toEqual(["src/slug.mjs", "test/slug.test.mjs"])
    })
  )

  const replaced = '{"replace": "wordLimit", "with": "longestWord"}'
  const small = block("src/slug.mjs", "  return text.slice(0, max)\n", "  return text.slice(0, max - 0)\n")
  const alone = block("src/alone.mjs", "", `${after.replace("slug", "alone")}alone("a b", 1)\n`)
  const prose = block("notes.md", "", "One.\nTwo.\nThree.\nFour.\nFive.\n")
  const quiet: ReadonlyArray<readonly [why: string, change: string, settings: OpenStages["settings"]]> = [
    ["a rename", replaced, {}],
    ["a change that nothing else in the code belongs to", alone, {}],
    ["a small change", small, {}],
    ["text for people", prose, {}],
    ["a change that nothing checks", fixed, { checks: false }],
    ["a person who does not want it", fixed, { lookBack: false }],
    ["the last answers", fixed, { limits: { ...defaultLimits, turns: 3 } }],
    ["three answers that are left", fixed, { limits: { ...defaultLimits, turns: 5 } }]
  ]
  for (const [why, change, settings] of quiet) {
    it.effect(`is left out for ${why}`, () =>
      Effect.gen(function* () {
        const { taskAgent, messages } = yield* open([change, first], settings === undefined ? {} : { settings })
        expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
        expect(messages).toHaveLength(2)
      })
    )
  }

  it.effect("comes with four answers left", () =>
    Effect.gen(function* () {
      const settings = { checks: [testRunner], limits: { ...defaultLimits, turns: 6 } } as const
      const { taskAgent, messages } = yield* open([fixed, first, "No such line."], { settings })
      yield* taskAgent.work(order)
      expect(lastOf(messages).filter(isQuestion)).toHaveLength(1)
    })
  )

  it.effect("is left out for each of many items", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([fixed, first])
      yield* taskAgent.work({ ...order, isItem: true })
      expect(messages).toHaveLength(2)
    })
  )
})
