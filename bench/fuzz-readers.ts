/**
 * Gives the readers of documents many generated texts. Prints failures, the slowest text, and how the time grows with
 * the size. `node bench/fuzz-readers.ts [--count N] [--kind task-list|refinement|result|all] [--seed N] [--no-growth]`
 */
import { parseArgs } from "node:util"
import type { DocumentKind } from "../src/domain/documents/CheckReport.ts"
import { documentParsers, readers } from "../test/fuzz/documentParsers.ts"
import { fuzzParser, largestInput, timeLimit, timeToRead } from "../test/fuzz/FuzzParsers.ts"
import { shapes } from "../test/fuzz/Growth.ts"
import { hostileTexts } from "../test/support/randomDocuments.ts"

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    kind: { type: "string", default: "all" },
    seed: { type: "string", default: "1" },
    growth: { type: "boolean", default: true }
  },
  allowNegative: true
})

const kinds = (["task-list", "refinement", "result"] as const satisfies ReadonlyArray<DocumentKind>).filter(
  (kind) => values.kind === "all" || values.kind === kind
)

let failed = false
console.log("| kind | texts | accepted | defects | slowest | |\n|---|---:|---:|---:|---:|---|")
for (const parser of documentParsers.filter(({ name }) => values.kind === "all" || values.kind === name)) {
  const { accepted, count, defects, slowest } = fuzzParser(parser, Number(values.count), Number(values.seed), true)
  failed ||= defects.length > 0
  console.log(
    `| ${parser.name} | ${count} | ${accepted} | ${defects.length} | ${slowest.ms.toFixed(1)} ms | ${slowest.size} characters, ${slowest.made}, seed ${slowest.seed} |`
  )
  for (const { made, seed, text, what } of defects.slice(0, 20))
    console.log(`\n${parser.name}, seed ${seed}, ${made}: ${what}\n${JSON.stringify(text.slice(0, 600))}\n`)
}

const hostile = kinds.flatMap((kind) =>
  Object.entries(hostileTexts(largestInput)).map(([name, text]) => ({
    name: `${kind}, ${name}`,
    ms: timeToRead(readers[kind].read, text, 3)
  }))
)
const [worst] = hostile.toSorted((a, b) => b.ms - a.ms)
failed ||= (worst?.ms ?? 0) > 2 * timeLimit
console.log(`\n${hostile.length} hostile texts of 64 KiB: slowest ${worst?.ms.toFixed(0)} ms (${worst?.name})`)

if (values.growth) {
  console.log("\n| document | 10 KB | 100 KB | 1 MB | 1 MB / 10 KB, per byte |\n|---|---:|---:|---:|---:|")
  for (const { kind, make, name } of shapes.filter((shape) => kinds.includes(shape.kind))) {
    const times = [10_000, 100_000, 1_000_000].map((size) => {
      const text = make(size)
      return { ms: timeToRead(readers[kind].read, text, size > 500_000 ? 3 : 7), size: text.length }
    })
    const [least = 1, , most = 0] = times.map(({ ms, size }) => ms / size)
    failed ||= most > 20 * least
    console.log(
      `| ${name} | ${times.map(({ ms }) => `${ms.toFixed(1)} ms`).join(" | ")} | ${(most / least).toFixed(2)} |`
    )
  }
}

process.exitCode = failed ? 1 : 0
