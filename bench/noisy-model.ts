/**
 * Whole runs with a model that answers correctly, but whose answers are damaged as those of small models are. Counts
 * how many runs are done, how many report a wrong result as right, and how many additional model calls they need. Each
 * run has six tasks on long files.
 * `node bench/noisy-model.ts [--damage 0.1,0.3,0.5] [--runs 200] [--seed 1] [--window 4096,8192] [--lines 2000]
 * [--model right|claiming|endless] [--stubborn 0.2] [--only PATTERN] [--rates NAME=WEIGHT,...] [--kinds
 * groups|all|none] [--list N]`
 * The model `claiming` says that it made changes, but sends none. The model `endless` never stops writing. None of
 * their runs may end as done. bench/lying-model.ts covers models that lie about checks.
 */
import { parseArgs } from "node:util"
import { badModels } from "../test/noisy/BadModels.ts"
import type { Noise } from "../test/noisy/Noise.ts"
import { type NoisyOutcome, runNoisily } from "../test/noisy/NoisyRun.ts"
import { allNoise, kindsOf, tallyOf, verdictOf } from "../test/noisy/Tally.ts"

const { values } = parseArgs({
  options: {
    damage: { type: "string", default: "0.1,0.3,0.5" },
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    window: { type: "string", default: "8192" },
    lines: { type: "string", default: "2000" },
    model: { type: "string", default: "right" },
    stubborn: { type: "string", default: "0.2" },
    /** Only kinds of damage whose name matches. */
    only: { type: "string", default: "" },
    /** How often each group or kind of damage occurs, by the beginning of its name. Others keep their defaults. */
    rates: { type: "string", default: "" },
    kinds: { type: "string", default: "groups" },
    /** At most this many unfinished runs are printed, with their damaged answers. */
    list: { type: "string", default: "0" }
  }
})
const numbers = (text: string): ReadonlyArray<number> => text.split(",").map(Number)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const rates = values.rates.split(",").flatMap((rate) => {
  const [name = "", weight = ""] = rate.split("=")
  return name === "" ? [] : [{ name, weight: Number(weight) }]
})
const rateOf = (name: string) => rates.find((rate) => name.startsWith(rate.name))
const weightOf = ({ name, weight }: Noise): number => {
  const rate = rateOf(name)
  return rate === undefined ? weight : rate.weight / allNoise.filter((one) => rateOf(one.name) === rate).length
}
const kinds = allNoise
  .filter(({ name }) => new RegExp(values.only).test(name))
  .map((kind): Noise => ({ name: kind.name, apply: kind.apply, weight: weightOf(kind) }))

const tell = ({ given, report, ...outcome }: NoisyOutcome, seed: number): void => {
  const damaged = given.flatMap(({ kind, stage, task }) => (kind === undefined ? [] : [`${stage} ${task}: ${kind}`]))
  console.log(`\n--- seed ${seed}: ${report.status}. ${report.message}`)
  console.log(JSON.stringify({ wrongFiles: outcome.wrongFiles, deadLinks: outcome.deadLinks, answer: report.answer }))
  console.log(damaged.map((one) => `  ${one}`).join("\n"))
}

const bad = badModels[values.model]

const measure = async (damage: number, window: number): Promise<ReadonlyArray<NoisyOutcome>> => {
  const outcomes: Array<NoisyOutcome> = []
  for (let run = 0; run < Number(values.runs); run += 1) {
    const seed = Number(values.seed) * 100_000 + run
    outcomes.push(
      await runNoisily({
        damage,
        kinds,
        window,
        seed,
        ...(bad === undefined ? {} : { bad }),
        lines: Number(values.lines),
        stubborn: Number(values.stubborn)
      })
    )
  }
  return outcomes
}

const measured: Array<NoisyOutcome> = []
let told = 0
console.log("| window | damage | damaged answers | runs | done | wrong as right | extra calls a task |")
console.log("|---:|---:|---:|---:|---:|---:|---:|")
for (const window of numbers(values.window)) {
  for (const damage of numbers(values.damage)) {
    const outcomes = await measure(damage, window)
    const { damaged, done, extraCalls, runs, wrongAsRight } = tallyOf(outcomes)
    const row = [
      window,
      percent(damage),
      percent(damaged),
      runs,
      percent(done / runs),
      percent(wrongAsRight / runs),
      extraCalls.toFixed(2)
    ]
    console.log(`| ${row.join(" | ")} |`)
    measured.push(...outcomes)
    for (const [run, outcome] of outcomes.entries()) {
      if (verdictOf(outcome) === "done" || told >= Number(values.list)) continue
      told += 1
      tell(outcome, Number(values.seed) * 100_000 + run)
    }
  }
}

if (values.kinds !== "none") {
  const rows = kindsOf(measured, (name) => (values.kinds === "all" ? name : (name.split(":")[0] ?? name)))
  console.log("\n| damage | answers | asked again | in runs not done | in runs wrong as right |")
  console.log("|---|---:|---:|---:|---:|")
  for (const { askedAgain, given, name, notDone, wrongAsRight } of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    console.log(`| ${name} | ${given} | ${percent(askedAgain / given)} | ${notDone} | ${wrongAsRight} |`)
}
