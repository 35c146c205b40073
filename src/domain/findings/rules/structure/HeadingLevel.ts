/** The rule `heading-level`: heading on another level. */
import { defineRule, lines } from "../Rule.ts"

export const headingLevel = defineRule({
  code: "heading-level",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Heading on another level",
  why: "Found by its text all the same.",
  fix: "Use the level of the format.",
  kind: "result",
  before: lines("# Result summary", "", "The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
