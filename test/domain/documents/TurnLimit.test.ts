import { expect, it } from "@effect/vitest"
import { turnLimit } from "../../../src/domain/documents/TurnBudgets.ts"

it("gives two more turns for each changed file beyond the third, up to forty", () => {
  expect([0, 1, 3, 4, 8, 17, 18, 100].map((files) => turnLimit(12, files))).toEqual([12, 12, 12, 14, 22, 40, 40, 40])
})

it("leaves a limit that is larger as it is", () => {
  expect(turnLimit(60, 30)).toBe(60)
})
