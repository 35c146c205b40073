/** The rule `marker-missing`: marker line missing. */
import { defineRule, lines } from "../Rule.ts"

export const markerMissing = defineRule({
  code: "marker-missing",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Marker line missing",
  why: "It separates the system part from the user part.",
  fix: "Put the marker line between the two parts, exactly once.",
  kind: "template",
  before: lines("You conclude.", "{user_prompt}", "{goals}", "{completed_tasks}", "{failed_tasks}"),
  after: lines(
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{goals}",
    "{completed_tasks}",
    "{failed_tasks}"
  )
})
