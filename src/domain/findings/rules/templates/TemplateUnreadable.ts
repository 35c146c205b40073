/** The rule `template-unreadable`: template cannot be read. */
import { defineRule, lines } from "../Rule.ts"

export const templateUnreadable = defineRule({
  code: "template-unreadable",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Template cannot be read",
  why: "Every stage has its template.",
  fix: "Install the package again; it ships this file.",
  kind: "template-folder",
  before: lines("creation.md", "refinement.md", "execution.md", "iteration.md"),
  after: lines("creation.md", "refinement.md", "execution.md", "iteration.md", "conclusion.md", "ask.md")
})
