/** The rule `reference-target`: target spelled differently. */
import { defineRule } from "../Rule.ts"

export const referenceTarget = defineRule({
  code: "reference-target",
  family: "references",
  tier: "repair",
  severity: "note",
  title: "Target spelled differently",
  why: "Exactly one target can be meant.",
  fix: "Write the target as the host names it.",
  kind: "references",
  before: "[Setup 1](#Setup_1-results)",
  after: "[Setup 1](#setup-1-results)"
})
