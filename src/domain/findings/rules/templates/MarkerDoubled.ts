/** The rule `marker-doubled`: marker line twice. */
import { defineRule, lines } from "../Rule.ts"

export const markerDoubled = defineRule({
  code: "marker-doubled",
  family: "templates",
  tier: "issue",
  severity: "error",
  title: "Marker line twice",
  why: "A prompt has two parts.",
  fix: "Put the marker line between the two parts, exactly once.",
  kind: "template",
  before: lines(
    "<!-- task-conductor: user part -->",
    "You conclude.",
    "<!-- task-conductor: user part -->",
    "{user_prompt}",
    "{goals}",
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
