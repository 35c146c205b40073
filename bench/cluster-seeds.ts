/**
 * Runs the simulation of workers with many seeds: `node bench/cluster-seeds.ts [HOW-MANY] [FIRST]`. For one seed: `1
 * SEED`. Prints failures and the time.
 */
import * as Effect from "effect/Effect"
import { simulate } from "../test/support/ClusterSimulation.ts"

const count = Number(process.argv[2] ?? 1000)
const first = Number(process.argv[3] ?? 1)
const began = performance.now()
let wrong = 0
for (let seed = first; seed < first + count; seed += 1) {
  const found = await Effect.runPromise(simulate(seed))
  wrong += found.length === 0 ? 0 : 1
  for (const text of found) console.log(text)
}
console.log(`${count} seeds, ${wrong} wrong, ${Math.round((performance.now() - began) / 1000)} s`)
process.exitCode = wrong === 0 ? 0 : 1
