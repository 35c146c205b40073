/** The rule `step-dropped`: section of finished tasks dropped. */
import { defineRule, lines } from "../Rule.ts"

export const stepDropped = defineRule({
  code: "step-dropped",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Section of finished tasks dropped",
  why: "Nothing was left in it.",
  fix: "List only what is still to do.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** Setup 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "### Task section 2",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "### Task section 2",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  alongside: ["finished-task-dropped"]
})
