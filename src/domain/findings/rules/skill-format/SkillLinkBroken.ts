/** The rule `skill-link-broken`: link to nothing. */
import { defineRule, lines } from "../Rule.ts"

export const skillLinkBroken = defineRule({
  code: "skill-link-broken",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Link to nothing",
  why: "Whoever follows the link finds no file.",
  fix: "Mend the path; it is relative to the folder of the skill.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does, as in [the guide](references/guide.md)."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
