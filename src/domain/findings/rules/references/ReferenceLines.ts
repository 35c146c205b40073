/** The rule `reference-lines`: lines that the file does not have. */
import { defineRule } from "../Rule.ts"

export const referenceLines = defineRule({
  code: "reference-lines",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Lines that the file does not have",
  why: "There would be nothing to read.",
  fix: "Refer to lines that the file has.",
  kind: "project-references",
  before: "[main.ts](src/main.ts#L90-L95)",
  after: "[main.ts](src/main.ts#L1-L2)"
})
