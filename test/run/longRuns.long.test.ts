/**
 * Runs with very many tasks: nothing that is done for a whole run may grow faster than the number of its tasks.
 */
import { expect, it } from "@effect/vitest"
import { join } from "node:path"
import { countSteps } from "../support/countSteps.ts"

it("writes, reads, resumes and reports a run in steps that grow with its tasks", async () => {
  const steps = await countSteps(join(import.meta.dirname, "../support/longRunWorks.ts"), [30, 300])
  const growth = Object.entries(steps).map(([name, [small = 0, large = 0]]) => [name, large / small / 10] as const)
  expect(growth.length).toBe(5)
  expect(growth.filter(([, times]) => times > 1.25)).toEqual([])
})
