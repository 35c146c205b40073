/** The rule `preamble-ignored`: text before the first heading. */
import { defineRule, lines } from "../Rule.ts"

export const preambleIgnored = defineRule({
  code: "preamble-ignored",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Text before the first heading",
  why: "Headings decide; talk before them is ignored.",
  fix: "Begin with the first heading.",
  kind: "result",
  before: lines("Here is the result:", "", "## Result summary", "", "The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
