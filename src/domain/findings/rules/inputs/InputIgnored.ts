/** The rule `input-ignored`: unknown input. */
import { defineRule, lines } from "../Rule.ts"

export const inputIgnored = defineRule({
  code: "input-ignored",
  family: "inputs",
  tier: "repair",
  severity: "warning",
  title: "Unknown input",
  why: "Only the inputs of the skill are passed on.",
  fix: "Leave it out, or name an input of the skill.",
  kind: "inputs",
  before: lines("- `file`: src/main.ts", "- `lines`: 10"),
  after: "- `file`: src/main.ts"
})
