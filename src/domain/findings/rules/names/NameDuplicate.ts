/** The rule `name-duplicate`: two tasks with one name. */
import { defineRule, lines } from "../Rule.ts"

export const nameDuplicate = defineRule({
  code: "name-duplicate",
  family: "names",
  tier: "issue",
  severity: "error",
  title: "Two tasks with one name",
  why: "Results are found by the slug of the name.",
  fix: "Give each task a name of its own.",
  kind: "task",
  before: lines(
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "- **Name** research-1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "- **Name** Research 2",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
