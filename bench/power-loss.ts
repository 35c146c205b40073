/**
 * Simulates a power loss at random moments of a run of twelve tasks, by seed. Resumes the run from what the disk may
 * then contain: writes that were not flushed are lost, cut or reordered. Counts lost records that had been reported as
 * saved, and damage at the end.
 *
 *   node bench/power-loss.ts [SEEDS] [--seed 1]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { makePowerLoss } from "../test/support/PowerLossRun.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" } }
})
const first = Number(values.seed)
const count = Number(positionals[0] ?? "500")

const all = Effect.gen(function* () {
  const { calls, lose } = yield* makePowerLoss
  let breaches = 0
  let repaired = 0
  for (let seed = first; seed < first + count; seed += 1) {
    if (seed % 50 === 0) console.error(`seed ${seed}, ${breaches} breaches`)
    const lost = yield* lose(seed)
    if (lost.isDamaged) repaired += 1
    for (const breach of lost.breaches) {
      console.log(`seed ${seed}: ${breach}`)
      breaches += 1
    }
  }
  console.log(
    `${count} losses of power among ${calls} calls: ${breaches} breaches, ${repaired} journals had to be repaired`
  )
  if (breaches > 0) process.exitCode = 1
}).pipe(Effect.scoped)

await Effect.runPromise(all)
