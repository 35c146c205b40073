import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { packLines } from "../../../src/domain/excerpts/Packing.ts"

const gap = (from: number, to: number): string => `(${from} to ${to} left out)`
const rows = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `row number ${index}`)

describe("packLines", () => {
  it("reserves one note for each run that is left out, and none for lines that join one", () => {
    const lines = rows(40)
    const budget = "row number 00\n".length * 10 + 2 * (gap(38, 39).length + 9) - 1
    const packed = packLines(lines, budget, gap, (choice) =>
      choice.addEach([20, 19, 21, 18, 22, 17, 23, 16, 24, 15, 25])
    )
    expect(packed.text.split("\n").slice(1, -1)).toEqual(lines.slice(15, 25))
  })

  it("shows lines that are shorter than the note about them", () => {
    const packed = packLines(["a", "b", "c"], 100, gap, (choice) => choice.add([0]))
    expect(packed).toMatchObject({ text: "a\nb\nc", shown: new Set([0, 1, 2]) })
    expect(packLines(rows(9), 0, gap, (choice) => choice.add([0]))).toMatchObject({ text: gap(0, 8), isEmpty: true })
  })

  it.effect.prop(
    "keeps to the budget whatever is added",
    {
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
      order: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))),
      budget: Schema.Int.check(Schema.isBetween({ minimum: 40, maximum: 900 }))
    },
    ({ budget, count, order }) =>
      Effect.sync(() => {
        const wanted = order.filter((index) => index < count)
        const { text } = packLines(rows(count), budget, gap, (choice) => {
          for (const index of wanted) choice.add([index, ...(index > 0 ? [index - 1] : [])])
        })
        expect(text.length).toBeLessThanOrEqual(budget)
      })
  )
})
