import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { compareCodePoints } from "../../../src/domain/text/CodePointOrder.ts"

it.prop("orders as the bytes of UTF-8 do", { a: Schema.String, b: Schema.String }, ({ a, b }) => {
  const [left, right] = [a.toWellFormed(), b.toWellFormed()]
  expect(Math.sign(compareCodePoints(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)))
})

it("puts characters beyond the basic plane last", () => {
  const sorted = ["a", "ab", "b", "\uFF5E", "\u{1F600}"]
  expect(sorted.toReversed().sort(compareCodePoints)).toEqual(sorted)
})
