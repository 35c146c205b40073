/** The rule `reference-form`: link in another form. */
import { defineRule } from "../Rule.ts"

export const referenceForm = defineRule({
  code: "reference-form",
  family: "references",
  tier: "repair",
  severity: "note",
  title: "Link in another form",
  why: "Split by marks, in backticks, without a label, a bare URL.",
  fix: "Write `[title](target)`.",
  kind: "references",
  before: "**[main.ts]**(src/main.ts)",
  after: "[main.ts](src/main.ts)"
})
