/** The rule `links-not-read`: links not read. */
import { defineRule, lines } from "../Rule.ts"

export const linksNotRead = defineRule({
  code: "links-not-read",
  family: "references",
  tier: "repair",
  severity: "warning",
  title: "Links not read",
  why: "The section is too large or too nested to look for links.",
  fix: "Keep sections small.",
  kind: "result",
  before: `## Result summary\n\n${"[a](b) ".repeat(10_000)}`,
  after: lines("## Result summary", "", "[a](b)")
})
