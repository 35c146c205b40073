/** The rule `optional-part-unbalanced`: optional part not closed. */
import { defineRule, lines } from "../Rule.ts"

export const optionalPartUnbalanced = defineRule({
  code: "optional-part-unbalanced",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Optional part not closed",
  why: "It is unclear what is left out with it.",
  fix: "Close every optional part `{#name}` with `{/name}` before the next one begins.",
  kind: "template",
  before: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{#goals}",
    "{goals}",
    "{completed_tasks}",
    "{failed_tasks}"
  ),
  after: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{#goals}",
    "{goals}",
    "{/goals}",
    "{completed_tasks}",
    "{failed_tasks}"
  )
})
