/** The rule `input-form`: input in another form. */
import { defineRule } from "../Rule.ts"

export const inputForm = defineRule({
  code: "input-form",
  family: "inputs",
  tier: "repair",
  severity: "note",
  title: "Input in another form",
  why: "The line or the value was written in another form that means the same.",
  fix: 'Write "- `name`: value" without marks around the value.',
  kind: "inputs",
  before: "- **file**: src/main.ts",
  after: "- `file`: src/main.ts"
})
