/** The rules of the family `refinements`, in the order of their page. */
import { taskKept } from "./refinements/TaskKept.ts"
import { fieldKept } from "./refinements/FieldKept.ts"
import { nameKept } from "./refinements/NameKept.ts"
import { skillKept } from "./refinements/SkillKept.ts"
import { approvalKept } from "./refinements/ApprovalKept.ts"

export const refinementsRules = {
  family: "refinements",
  title: "Refinements",
  about: "What a refinement may change of the task that the plan decided.",
  rules: [taskKept, fieldKept, nameKept, skillKept, approvalKept]
} as const
