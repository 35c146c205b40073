/** The rule `input-spelling`: input in another spelling. */
import { defineRule } from "../Rule.ts"

export const inputSpelling = defineRule({
  code: "input-spelling",
  family: "inputs",
  tier: "repair",
  severity: "note",
  title: "Input in another spelling",
  why: "Exactly one input of the skill is meant.",
  fix: "Spell the name as the skill does.",
  kind: "inputs",
  before: "- `File`: src/main.ts",
  after: "- `file`: src/main.ts"
})
