/** The rule `reference-missing`: file not found. */
import { defineRule } from "../Rule.ts"

export const referenceMissing = defineRule({
  code: "reference-missing",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "File not found",
  why: "A task cannot read what is not there.",
  fix: "Refer to a file that exists.",
  kind: "project-references",
  before: "[main.ts](src/mian.ts)",
  after: "[main.ts](src/main.ts)"
})
