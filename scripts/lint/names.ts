/**
 * Checks the names and comments of `src`, as a part of `npm run check:lint`. With `--lower` it lowers the allowances to what is still
 * broken, with `--all` it prints what is allowed too, with a path only what is below it.
 */
import { writeFileSync } from "node:fs"
import { allowancesFile, countsOf, excess, lowered, readAllowances, sourceViolations } from "./rules.ts"

const [option = ""] = process.argv.slice(2)
const violations = sourceViolations()
if (option === "--lower") {
  writeFileSync(allowancesFile, `${JSON.stringify(lowered(readAllowances(), countsOf(violations)), undefined, 2)}\n`)
}
const above = excess(violations, readAllowances())
const below = option === "" || option.startsWith("--") ? "" : option.replace(/^src\//, "")
const printed = option === "--all" || below !== "" ? violations.filter(({ path }) => path.startsWith(below)) : above
for (const { line, message, path, rule } of printed) console.log(`src/${path}:${line}: ${rule}: ${message}`)
if (above.length > 0) {
  console.error(
    "These rooms break a rule more often than scripts/lint/allowances.json allows. Correct some of the places above."
  )
  process.exitCode = 1
}
