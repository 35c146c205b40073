import { expect, it } from "vitest"
import { join } from "node:path"
import { countSteps } from "./countSteps.ts"

it("tells work that grows with the square of its size from work that grows with its size", async () => {
  const steps = await countSteps(join(import.meta.dirname, "controlWorks.ts"), [100, 1000])
  const growth = Object.entries(steps).map(([name, [small = 0, large = 0]]) => [name, Math.round(large / small / 10)])
  expect(Object.fromEntries(growth)).toEqual({
    loop: 1,
    "loops in loops": 10,
    "searches of a text": 10,
    "searches of a text from where the last one ended": 1,
    "matches of a text": 10,
    "all matches of a text": 1
  })
})
