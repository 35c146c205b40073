/**
 * Generates random texts with the answer grammars, and prints those that the readers reject. `node
 * bench/answer-grammar.ts [--count N] [--seed N]`
 */
import { parseArgs } from "node:util"
import { grammarKinds, rejectedTexts } from "../test/support/readGrammarTexts.ts"

const { values } = parseArgs({
  options: { count: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } }
})

for (const [name, kind] of Object.entries(grammarKinds)) {
  const began = performance.now()
  const rejected = rejectedTexts(kind, Number(values.count), Number(values.seed))
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${name}: ${values.count} texts, ${rejected.length} not accepted, ${seconds} s`)
  for (const { found, text } of rejected.slice(0, 5)) {
    console.log(JSON.stringify(text.slice(0, 1500)))
    for (const one of found.slice(0, 3)) console.log("  ", typeof one === "string" ? one : JSON.stringify(one))
  }
  if (rejected.length > 0) process.exitCode = 1
}
