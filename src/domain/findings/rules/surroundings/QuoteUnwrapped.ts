/** The rule `quote-unwrapped`: answer as a quote. */
import { defineRule, lines } from "../Rule.ts"

export const quoteUnwrapped = defineRule({
  code: "quote-unwrapped",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Answer as a quote",
  why: "Every line started with `>`.",
  fix: "Write the document without quote marks.",
  kind: "result",
  before: lines("> ## Result summary", "> ", "> The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
