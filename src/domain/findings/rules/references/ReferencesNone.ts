/** The rule `references-none`: word for no references. */
import { defineRule } from "../Rule.ts"

export const referencesNone = defineRule({
  code: "references-none",
  family: "references",
  tier: "repair",
  severity: "note",
  title: "Word for no references",
  why: "An empty field says the same.",
  fix: "Leave the field out.",
  kind: "references",
  before: "none",
  after: ""
})
