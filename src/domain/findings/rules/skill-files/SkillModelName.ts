/** The rule `skill-model-name`: not the name of a model. */
import { defineRule, lines } from "../Rule.ts"

export const skillModelName = defineRule({
  code: "skill-model-name",
  family: "skill-files",
  tier: "repair",
  severity: "warning",
  title: "Not the name of a model",
  why: "A skill chooses among the models of the person's own server; a URL or a path is none.",
  fix: "Write a name as `ollama list` shows it.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    '  task-conductor.model: "http://example.org/model"',
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
    '  task-conductor.model: "qwen3:8b"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
