/** The rule `thinking-removed`: thinking removed. */
import { defineRule, lines } from "../Rule.ts"

export const thinkingRemoved = defineRule({
  code: "thinking-removed",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Thinking removed",
  why: "What a model thinks is not its answer.",
  fix: "Write the document only.",
  kind: "result",
  before: lines(
    "<think>",
    "The user asks for the loader.",
    "</think>",
    "## Result summary",
    "",
    "The loader is `src/config.ts`."
  ),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
