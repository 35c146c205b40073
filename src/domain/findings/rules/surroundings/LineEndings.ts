/** The rule `line-endings`: line endings. */
import { defineRule, lines } from "../Rule.ts"

export const lineEndings = defineRule({
  code: "line-endings",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Line endings",
  why: "Lines end with a line feed only.",
  fix: "End lines with a line feed.",
  kind: "result",
  before: "## Result summary\r\n\r\nThe loader is `src/config.ts`.",
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
