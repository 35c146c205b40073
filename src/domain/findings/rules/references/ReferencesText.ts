/** The rule `references-text`: text beside links ignored. */
import { defineRule } from "../Rule.ts"

export const referencesText = defineRule({
  code: "references-text",
  family: "references",
  tier: "repair",
  severity: "warning",
  title: "Text beside links ignored",
  why: "Only links are resolved.",
  fix: "Write links only.",
  kind: "references",
  before: "Look at [main.ts](src/main.ts) for this",
  after: "[main.ts](src/main.ts)"
})
