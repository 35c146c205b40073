/**
 * Warns about tasks that will wait for approval although the task list does not say so. The gate decides when the tasks
 * run; the warning only makes this known as soon as the plan exists.
 */
import * as Effect from "effect/Effect"
import type { Repair } from "../../domain/findings/Issue.ts"
import { makeRepair } from "../../domain/findings/IssueCode.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** Makes the notes on a list with the skills and tools of the run. */
export const makeApprovalWarnings = Effect.gen(function* () {
  const skills = yield* Skills
  const registry = yield* ToolRegistry

  const reasonOf = ({ allowedTools = [], name, requiresApproval }: Skill): string | undefined => {
    if (requiresApproval) return `the skill "${name}" requires approval`
    const isWriter = allowedTools.length > 0 && allowedTools.every((tool) => registry.find(tool)?.risk === "high")
    return isWriter ? `all tools of the skill "${name}" are of high risk` : undefined
  }

  return (list: TaskList): ReadonlyArray<Repair> =>
    list.steps.flatMap(({ tasks, title }) =>
      tasks.flatMap(({ name, requiresApproval, skill }) => {
        const found = requiresApproval ? undefined : skills.find(skill)
        const reason = found === undefined ? undefined : reasonOf(found)
        if (reason === undefined) return []
        const where = { section: title, task: name, field: "Requires user approval" }
        return [makeRepair("writer-without-approval", where, `"${name}" will wait for approval: ${reason}.`)]
      })
    )
})
