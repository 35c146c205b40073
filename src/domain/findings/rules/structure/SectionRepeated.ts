/** The rule `section-repeated`: section given twice. */
import { defineRule, lines } from "../Rule.ts"

export const sectionRepeated = defineRule({
  code: "section-repeated",
  family: "structure",
  tier: "repair",
  severity: "warning",
  title: "Section given twice",
  why: "The last one counts.",
  fix: "Write every section once.",
  kind: "result",
  before: lines(
    "## Result summary",
    "",
    "I do not know yet.",
    "",
    "## Result summary",
    "",
    "The loader is `src/config.ts`."
  ),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
