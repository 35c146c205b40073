/** The rule `reference-unreadable`: target cannot be read. */
import { defineRule } from "../Rule.ts"

export const referenceUnreadable = defineRule({
  code: "reference-unreadable",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Target cannot be read",
  why: "Only text has content that a model can be shown.",
  fix: "Refer to a text file.",
  kind: "project-references",
  before: "[logo](logo.png)",
  after: "[main.ts](src/main.ts)"
})
