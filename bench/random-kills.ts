/**
 * Kills runs of twelve tasks, up to eight side by side, at random times and up to five times each, lets them go on, and
 * counts what was broken; see bench/crash-points.ts.
 *
 *   node bench/random-kills.ts [KILLS] [--seed 1] [--workers 2]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { crashAtRandom, makeReference } from "../test/support/CrashPoints.ts"
import { makeRandom } from "../test/support/randomDocuments.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, workers: { type: "string", default: "2" } }
})
const wanted = Number(positionals[0] ?? "100")
const random = makeRandom(Number(values.seed))

const reference = await Effect.runPromise(makeReference)
const sums = { runs: 0, kills: 0, breaches: 0 }

const work = async (): Promise<void> => {
  while (sums.kills < wanted) {
    const parallel = 1 + random(8)
    const crashed = await Effect.runPromise(
      crashAtRandom(reference, { most: 5, random, within: 700, parallel, latency: 5 })
    )
    for (const breach of crashed.breaches) console.error(breach)
    sums.runs += 1
    sums.kills += crashed.kills
    sums.breaches += crashed.breaches.length
  }
}
/* Ctrl-C ends with what was counted by then. */
const tell = (): void => {
  console.log(`${sums.kills} kills of ${sums.runs} runs, seed ${values.seed}: ${sums.breaches} breaches`)
  if (sums.kills === 0 || sums.breaches > 0) process.exitCode = 1
}
process.once("SIGINT", () => {
  tell()
  process.exit()
})
await Promise.all(Array.from({ length: Number(values.workers) }, work))
tell()
