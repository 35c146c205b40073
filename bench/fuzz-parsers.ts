/**
 * Gives each parser many texts that are meant to break it. Prints failures and the slowest text. bench/fuzz-readers.ts
 * does the same for the readers of documents.
 *
 *   node bench/fuzz-parsers.ts [--count 100000] [--only NAME] [--seed 1]
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { documentParsers } from "../test/fuzz/documentParsers.ts"
import { fuzzedParsers, fuzzParser } from "../test/fuzz/FuzzParsers.ts"
import { fuzzMessages } from "../test/fuzz/McpMessages.ts"

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    only: { type: "string" },
    seed: { type: "string", default: "1" }
  }
})

console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, seeds from ${values.seed}\n`)
console.log("| parser | texts | taken as valid | defects | slowest |\n|---|---:|---:|---:|---:|")
for (const parser of fuzzedParsers.filter(
  (parser) => !documentParsers.includes(parser) && (values.only === undefined || parser.name === values.only)
)) {
  const { accepted, count, defects, slowest } = fuzzParser(parser, Number(values.count), Number(values.seed), true)
  console.log(`| ${parser.name} | ${count} | ${accepted} | ${defects.length} | ${slowest.ms.toFixed(1)} ms |`)
  for (const { made, seed, text, what } of defects.slice(0, 20))
    console.error(`${parser.name}, seed ${seed}, ${made}: ${what}\n${JSON.stringify(text.slice(0, 600))}\n`)
  if (defects.length > 0) process.exitCode = 1
}

const messages = "messages to the MCP server"
if (values.only === undefined || values.only === messages) {
  const { answered, defects } = await Effect.runPromise(fuzzMessages(Number(values.count), Number(values.seed)))
  console.log(`| ${messages} | ${values.count} | ${answered} answers | ${defects.length} | |`)
  for (const defect of defects.slice(0, 20)) console.error(defect)
  if (defects.length > 0) process.exitCode = 1
}
