/** The rule `references-prose`: references without a link. */
import { defineRule } from "../Rule.ts"

export const referencesProse = defineRule({
  code: "references-prose",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "References without a link",
  why: "The host resolves links, it does not read prose.",
  fix: "Write markdown links only, or leave the field out.",
  kind: "references",
  before: "See src/main.ts",
  after: "[main.ts](src/main.ts)"
})
