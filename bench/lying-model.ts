/**
 * Runs with a model that breaks a test and claims that all tests pass. Each run has a different lie and is killed up to
 * three times. Counts the runs that wrongly end as done.
 *
 *   node bench/lying-model.ts [RUNS] [--seed 1] [--workers 2]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { type Lied, lieOnce } from "../test/support/LyingRun.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, workers: { type: "string", default: "2" } }
})
const wanted = Number(positionals[0] ?? "100")
const first = Number(values.seed)

const all: Array<Lied> = []
let next = first
const work = async (): Promise<void> => {
  while (next < first + wanted) {
    const seed = next
    next += 1
    const lied = await Effect.runPromise(lieOnce(seed))
    for (const breach of lied.breaches) console.error(`seed ${seed} (${lied.traits.join("; ")}): ${breach}\n`)
    all.push(lied)
  }
}
/** Ctrl-C ends the bench. It prints the counts so far. */
const tell = (): void => {
  const count = (is: (lied: Lied) => boolean): number => all.filter(is).length
  const breaches = all.reduce((sum, one) => sum + one.breaches.length, 0)
  const kills = all.reduce((sum, one) => sum + one.kills, 0)
  const broken = count(({ isBroken }) => isBroken)
  console.log(`${all.length} runs, ${kills} kills; the test fails at the end of ${broken}: ${breaches} breaches`)
  const groups = Map.groupBy(all, ({ isBroken, status }) => `${status}, test ${isBroken ? "fails" : "passes"}`)
  for (const [name, runs] of groups) console.log(`  ${name}: ${runs.length}`)
  if (breaches > 0 || broken === 0) process.exitCode = 1
}
process.once("SIGINT", () => {
  tell()
  process.exit()
})
await Promise.all(Array.from({ length: Number(values.workers) }, work))
tell()
