/** The rule `placeholder-missing`: placeholder missing. */
import { defineRule, lines } from "../Rule.ts"

export const placeholderMissing = defineRule({
  code: "placeholder-missing",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Placeholder missing",
  why: "The model would not see its value.",
  fix: "Put the placeholder where its value belongs.",
  kind: "template",
  before: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{completed_tasks}",
    "{failed_tasks}"
  ),
  after: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{goals}",
    "{completed_tasks}",
    "{failed_tasks}"
  )
})
