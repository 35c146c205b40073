/** The rule `reference-spaces`: spaces in a link target. */
import { defineRule } from "../Rule.ts"

export const referenceSpaces = defineRule({
  code: "reference-spaces",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Spaces in a link target",
  why: "Markdown ends the target at the space.",
  fix: "Put a target with spaces between angle brackets.",
  kind: "references",
  before: "[notes](my notes.md)",
  after: "[notes](<my notes.md>)"
})
