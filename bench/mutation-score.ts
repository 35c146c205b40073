/**
 * Prints how many damaged documents the readers still understand. Also prints how often they report damage that changes
 * the meaning. `node bench/mutation-score.ts [--seeds N] [--failures NAME]`
 */
import { parseArgs } from "node:util"
import { type Score, scoreHarmless, scoreHidden, scoreMeaningful, scorePairs } from "../test/mutations/MutationScore.ts"

const { values } = parseArgs({ options: { seeds: { type: "string", default: "10" }, failures: { type: "string" } } })
const seeds = Number(values.seeds)

const percent = ({ applied, passed }: { readonly applied: number; readonly passed: number }): string =>
  applied === 0 ? "-" : `${((100 * passed) / applied).toFixed(2)} %`

const print = (title: string, scores: ReadonlyArray<Score>): void => {
  const total = scores.reduce(
    (sum, { applied, passed }) => ({ applied: sum.applied + applied, passed: sum.passed + passed }),
    {
      applied: 0,
      passed: 0
    }
  )
  console.log(`\n| ${title} | documents | passed | |\n|---|---:|---:|---:|`)
  for (const one of scores) console.log(`| ${one.name} | ${one.applied} | ${one.passed} | ${percent(one)} |`)
  console.log(`| **all ${scores.length} kinds** | ${total.applied} | ${total.passed} | ${percent(total)} |`)
  for (const { failed, name } of scores) {
    if (values.failures === undefined || (values.failures !== "all" && values.failures !== name)) continue
    for (const { document, seed, text } of failed.slice(0, values.failures === "all" ? 2 : 20))
      console.log(`\n--- ${name}: ${document}, seed ${seed}\n${values.failures === "all" ? "" : text}`)
  }
}

print("keeps the meaning", scoreHarmless(seeds))
print("keeps the meaning, twice", [scorePairs(seeds)])
print("changes the meaning", scoreMeaningful(seeds))
print("changes the meaning, below harmless damage", [scoreHidden(seeds)])
