import { describe, expect, it } from "@effect/vitest"
import { join } from "node:path"
import { countSteps } from "../support/countSteps.ts"

describe("the readers on large texts", async () => {
  const sizes = [5000, 40_000] as const
  const steps = await countSteps(join(import.meta.dirname, "readingWorks.ts"), sizes)

  /* Cost that grows with the square would be eight times as much per character. */
  it("take as many steps per character as on small ones", () => {
    const perCharacter = Object.entries(steps).map(([name, [small = 0, large = 0]]) => {
      const [before, now] = [small / sizes[0], large / sizes[1]]
      return { name, growth: now / before, now }
    })
    expect(perCharacter).toHaveLength(34)
    expect(perCharacter.filter(({ growth, now }) => growth >= 1.5 || now >= 550)).toEqual([])
  })
})
