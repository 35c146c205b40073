/** The rule `heading-form`: heading in another form. */
import { defineRule, lines } from "../Rule.ts"

export const headingForm = defineRule({
  code: "heading-form",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Heading in another form",
  why: "Bold line, underlined line, or no space after the hashes.",
  fix: "Write the heading with hashes and a space.",
  kind: "result",
  before: lines("**Result summary**", "", "The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
