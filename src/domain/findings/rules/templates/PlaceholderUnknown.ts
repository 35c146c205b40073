/** The rule `placeholder-unknown`: unknown placeholder. */
import { defineRule, lines } from "../Rule.ts"

export const placeholderUnknown = defineRule({
  code: "placeholder-unknown",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Unknown placeholder",
  why: "Nothing would fill it in.",
  fix: "Use the placeholders of the template.",
  kind: "template",
  before: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{goals}",
    "{completed_tasks}",
    "{failed_tasks}",
    "{mood}"
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
