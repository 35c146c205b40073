/**
 * What a task may do to the project, by the tools of its skill; before its calls are known.
 */
import * as Effect from "effect/Effect"
import type { Task } from "../../domain/plan/Task.ts"
import { type Skill, toolsOfSkill } from "../../domain/skills/Skill.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

export const makeTaskEffects = Effect.gen(function* () {
  const skills = yield* Skills
  const registry = yield* ToolRegistry

  const isPure = (tool: string): boolean => registry.find(tool)?.effect === "pure"

  const allTools = registry.tools.map(({ name }) => name)
  const toolsBySkill = new WeakMap<Skill, ReadonlyArray<string>>()

  const toolsOf = (task: Task): ReadonlyArray<string> => {
    const skill = skills.find(task.skill)
    if (skill === undefined) return []
    const tools = toolsBySkill.get(skill) ?? toolsOfSkill(skill, allTools)
    toolsBySkill.set(skill, tools)
    return tools
  }

  /** True for a task that may change what others read. */
  const mayWrite = (task: Task): boolean => registry.changesSomething(toolsOf(task))

  return {
    mayWrite,
    /** True for a task that all tasks after it wait for, until its calls show that it only reads and needs no approval. */
    isBarrier: (task: Task): boolean =>
      mayWrite(task) ||
      task.requiresApproval ||
      skills.find(task.skill)?.requiresApproval === true ||
      toolsOf(task).some((tool) => registry.find(tool)?.risk === "high"),
    /** True for a task whose calls rest on what the project holds: it may look first, or changes what is there. */
    restsOnProject: (task: Task): boolean =>
      mayWrite(task) || (toolsOf(task).length > 0 && skills.find(task.skill)?.passes !== 1),
    mayChange: ({ name }: ToolCall): boolean => !isPure(name)
  }
})
