import { describe, expect, it } from "@effect/vitest"
import { hostileTexts } from "../support/randomDocuments.ts"
import { fuzz, largestInput, timeLimit } from "./FuzzReaders.ts"
import { shapes, timeToRead } from "./Growth.ts"

describe("the readers on texts made to break them", () => {
  it.each(["task-list", "refinement", "result"] as const)(
    "throw never, hang never, and write strictly what they accept: %s",
    { timeout: 120_000 },
    (kind) => {
      const { accepted, defects } = fuzz(kind, 2000, 1)
      expect(defects).toEqual([])
      expect(accepted).toBeGreaterThan(20)
    }
  )

  it.each(Object.entries(hostileTexts(largestInput)))(
    "take little time for 64 KiB of %s",
    { timeout: 60_000 },
    (_, text) => {
      for (const kind of ["task-list", "refinement", "result"] as const)
        expect(timeToRead(kind, text, 5)).toBeLessThan(2 * timeLimit)
    }
  )

  // Quadratic cost would be twenty times as much. The machine is shared: one good measurement of three is enough.
  it.each(shapes)(
    "cost as much per character in a large document as in a small one: $name",
    { timeout: 60_000 },
    (shape) => {
      const [small, large] = [shape.make(20_000), shape.make(400_000)]
      const ratio = (): number =>
        timeToRead(shape.kind, large, 2) / large.length / (timeToRead(shape.kind, small, 5) / small.length)
      const least = [1, 2, 3].reduce((found) => (found < 5 ? found : Math.min(found, ratio())), Infinity)
      expect(least).toBeLessThan(5)
    }
  )
})
