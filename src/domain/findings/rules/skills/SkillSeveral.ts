/** The rule `skill-several`: more than one skill. */
import { defineRule, lines } from "../Rule.ts"

export const skillSeveral = defineRule({
  code: "skill-several",
  family: "skills",
  tier: "issue",
  severity: "error",
  title: "More than one skill",
  why: "A task is refined and executed with one skill.",
  fix: "Keep one skill, or make a task of each.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code, summarize",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
