/** The rule `front-matter-broken`: front matter cannot be read. */
import { defineRule, lines } from "../Rule.ts"

export const frontMatterBroken = defineRule({
  code: "front-matter-broken",
  family: "skill-files",
  tier: "issue",
  severity: "error",
  title: "Front matter cannot be read",
  why: "Name and description of a skill stand there.",
  fix: "Begin the file with a line `---`, then `name` and `description` as YAML, then a line `---`.",
  kind: "skill-file",
  before: lines("", "## Execution", "", "Say what the code does."),
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
