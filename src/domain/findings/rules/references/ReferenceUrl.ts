/** The rule `reference-url`: invalid URL. */
import { defineRule } from "../Rule.ts"

export const referenceUrl = defineRule({
  code: "reference-url",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Invalid URL",
  why: "It cannot be fetched.",
  fix: "Write the complete address without spaces.",
  kind: "references",
  before: "[page](https://)",
  after: "[page](https://example.org/)"
})
