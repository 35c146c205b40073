/** The rule `document-too-large`: document too large. */
import { defineRule, lines } from "../Rule.ts"

export const documentTooLarge = defineRule({
  code: "document-too-large",
  family: "surroundings",
  tier: "issue",
  severity: "error",
  title: "Document too large",
  why: "A text above the cap is not parsed, so reading never hangs.",
  fix: "Answer with the document only.",
  kind: "result",
  before: `## Result summary\n\n${"The loader. ".repeat(350_000)}`,
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
