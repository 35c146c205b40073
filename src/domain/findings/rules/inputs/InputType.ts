/** The rule `input-type`: value of another type. */
import { defineRule } from "../Rule.ts"

export const inputType = defineRule({
  code: "input-type",
  family: "inputs",
  tier: "issue",
  severity: "error",
  title: "Value of another type",
  why: "The skill says what the value of an input is.",
  fix: "Give a value of the type that the skill asks for.",
  kind: "inputs",
  before: "- `file`: https://example.org/main.ts",
  after: "- `file`: src/main.ts"
})
