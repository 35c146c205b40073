/** The rule `name-replaced`: name without letters. */
import { defineRule, lines } from "../Rule.ts"

export const nameReplaced = defineRule({
  code: "name-replaced",
  family: "names",
  tier: "repair",
  severity: "warning",
  title: "Name without letters",
  why: "Nothing could refer to it.",
  fix: "Give a name with a letter or a digit.",
  kind: "task",
  before: lines(
    "- **Name** !!!",
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
