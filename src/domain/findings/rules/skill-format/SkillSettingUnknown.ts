/** The rule `skill-setting-unknown`: unknown setting. */
import { defineRule, lines } from "../Rule.ts"

export const skillSettingUnknown = defineRule({
  code: "skill-setting-unknown",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Unknown setting",
  why: "A setting that is spelled wrong does nothing.",
  fix: "Write `task-conductor.requires-approval` or `task-conductor.model` under `metadata`.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    '  task-conductor.require-approval: "true"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    '  task-conductor.requires-approval: "true"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
