/** The rules of the family `skills`, in the order of their page. */
import { skillUnknown } from "./skills/SkillUnknown.ts"
import { skillSeveral } from "./skills/SkillSeveral.ts"
import { skillSpelling } from "./skills/SkillSpelling.ts"
import { skillForm } from "./skills/SkillForm.ts"

export const skillsRules = {
  family: "skills",
  title: "Skills of a task",
  about: "The skill that a task names.",
  rules: [skillUnknown, skillSeveral, skillSpelling, skillForm]
} as const
