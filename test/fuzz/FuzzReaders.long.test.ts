import { describe, expect, it } from "@effect/vitest"
import { join } from "node:path"
import { countSteps } from "../support/countSteps.ts"
import { fuzz } from "./FuzzReaders.ts"

describe("the readers on texts made to break them", () => {
  it.each(["task-list", "refinement", "result"] as const)(
    "throw never, and write strictly what they accept: %s",
    (kind) => {
      const { accepted, defects } = fuzz(kind, 1000, 1)
      expect(defects).toEqual([])
      expect(accepted).toBeGreaterThan(20)
    }
  )
})

describe("the readers on large texts", async () => {
  const sizes = [5000, 40_000] as const
  const steps = await countSteps(join(import.meta.dirname, "readingWorks.ts"), sizes)

  /* Cost that grows with the square would be eight times as much per character. */
  it.each(Object.entries(steps))(
    "take as many steps per character as on small ones: %s",
    (_, [small = 0, large = 0]) => {
      const perCharacter = [small / sizes[0], large / sizes[1]] as const
      expect(perCharacter[1] / perCharacter[0]).toBeLessThan(1.5)
      expect(perCharacter[1]).toBeLessThan(550)
    }
  )

  it("were all counted", () => {
    expect(Object.keys(steps).length).toBe(34)
  })
})
