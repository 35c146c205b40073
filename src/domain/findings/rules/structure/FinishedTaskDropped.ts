/** The rule `finished-task-dropped`: finished task repeated. */
import { defineRule, lines } from "../Rule.ts"

export const finishedTaskDropped = defineRule({
  code: "finished-task-dropped",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Finished task repeated",
  why: "Its result exists already.",
  fix: "List only what is still to do.",
  kind: "task",
  before: lines(
    "- **Name** Setup 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
