/** The rule `references-too-large`: references too large. */
import { defineRule } from "../Rule.ts"

export const referencesTooLarge = defineRule({
  code: "references-too-large",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "References too large",
  why: "What a task reads must fit into the window of the model, and nothing is cut silently.",
  fix: "Narrow the largest references to lines or a heading, or leave them out.",
  kind: "project-references",
  before: "[log](large.txt)",
  after: "[log](large.txt#L1-L20)"
})
