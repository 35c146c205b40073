/** The rule `fence-unwrapped`: answer in a fence. */
import { defineRule, lines } from "../Rule.ts"

export const fenceUnwrapped = defineRule({
  code: "fence-unwrapped",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Answer in a fence",
  why: "The whole answer stood in one code block.",
  fix: "Write the document without a code block around it.",
  kind: "result",
  before: lines("```markdown", "## Result summary", "", "The loader is `src/config.ts`.", "```"),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
