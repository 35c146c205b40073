/** The rule `reference-empty`: link without target. */
import { defineRule } from "../Rule.ts"

export const referenceEmpty = defineRule({
  code: "reference-empty",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Link without target",
  why: "There is nothing to resolve.",
  fix: "Write the target, or leave the link out.",
  kind: "references",
  before: "[main.ts]()",
  after: "[main.ts](src/main.ts)"
})
