/** The rule `section-empty`: required section empty. */
import { defineRule, lines } from "../Rule.ts"

export const sectionEmpty = defineRule({
  code: "section-empty",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Required section empty",
  why: "A heading without text states nothing.",
  fix: "Write the text under the heading.",
  kind: "result",
  before: lines("## Result summary", "", "## Evidence", "", "`src/config.ts`"),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.", "", "## Evidence", "", "`src/config.ts`")
})
