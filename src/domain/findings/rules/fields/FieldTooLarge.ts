/** The rule `field-too-large`: field too large. */
import { defineRule } from "../Rule.ts"

export const fieldTooLarge = defineRule({
  code: "field-too-large",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Field too large",
  why: "Links are not looked for in a text of this size or nesting.",
  fix: "List only the links that the task needs.",
  kind: "references",
  before: "[main.ts](src/main.ts) ".repeat(3000),
  after: "[main.ts](src/main.ts)"
})
