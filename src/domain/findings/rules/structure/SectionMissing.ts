/** The rule `section-missing`: required section missing. */
import { defineRule, lines } from "../Rule.ts"

export const sectionMissing = defineRule({
  code: "section-missing",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Required section missing",
  why: "Without it the document cannot be understood.",
  fix: "Write the heading on a line of its own, outside any code block, with its text under it.",
  kind: "result",
  before: "The loader is `src/config.ts`.",
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
