/** The rule `input-kept`: input kept from before. */
import { defineRule, lines } from "../Rule.ts"

export const inputKept = defineRule({
  code: "input-kept",
  family: "inputs",
  tier: "repair",
  severity: "note",
  title: "Input kept from before",
  why: "The answer left the input out.",
  fix: "Repeat every input.",
  kind: "retried-inputs",
  before: "- `file`: src/main.ts",
  after: lines("- `file`: src/main.ts", "- `reason`: To explain it.")
})
