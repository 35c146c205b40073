/** The rule `input-repeated`: input given twice. */
import { defineRule, lines } from "../Rule.ts"

export const inputRepeated = defineRule({
  code: "input-repeated",
  family: "inputs",
  tier: "issue",
  severity: "error",
  title: "Input given twice",
  why: "Nobody could tell which of two values is meant.",
  fix: "Keep one line for each input.",
  kind: "inputs",
  before: lines("- `file`: src/main.ts", "- `file`: src/config.ts"),
  after: "- `file`: src/main.ts"
})
