/** The rule `indentation-removed`: answer indented. */
import { defineRule, lines } from "../Rule.ts"

export const indentationRemoved = defineRule({
  code: "indentation-removed",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Answer indented",
  why: "Every line was indented.",
  fix: "Begin lines at the margin.",
  kind: "result",
  before: lines("  ## Result summary", "", "  The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
