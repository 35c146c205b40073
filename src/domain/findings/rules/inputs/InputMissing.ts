/** The rule `input-missing`: input without a value. */
import { defineRule } from "../Rule.ts"

export const inputMissing = defineRule({
  code: "input-missing",
  family: "inputs",
  tier: "issue",
  severity: "error",
  title: "Input without a value",
  why: "The skill cannot work without a required input.",
  fix: "Give the value under `## Inputs`.",
  kind: "inputs",
  before: "- `reason`: To explain it.",
  after: "- `file`: src/main.ts"
})
