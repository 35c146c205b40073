/** The rule `skill-name-form`: name in another form. */
import { defineRule } from "../Rule.ts"

export const skillNameForm = defineRule({
  code: "skill-name-form",
  family: "skill-files",
  tier: "repair",
  severity: "warning",
  title: "Name in another form",
  why: "Other programs read only lower-case letters, digits and hyphens.",
  fix: "Use at most 64 lower-case letters, digits and single hyphens.",
  kind: "skill-name",
  before: "Read_Code",
  after: "read-code"
})
