/** The rule `heading-text`: heading with another text. */
import { defineRule, lines } from "../Rule.ts"

export const headingText = defineRule({
  code: "heading-text",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Heading with another text",
  why: "A known other wording of the heading.",
  fix: "Use the words of the format.",
  kind: "result",
  before: lines("## Summary", "", "The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
