/** The rule `skill-key-unknown`: unknown key. */
import { defineRule, lines } from "../Rule.ts"

export const skillKeyUnknown = defineRule({
  code: "skill-key-unknown",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Unknown key",
  why: "Other programs refuse a file with a key that the format does not have.",
  fix: "Use only name, description, license, compatibility, metadata and allowed-tools.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "tools: read_file",
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
    "allowed-tools: read_file",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
