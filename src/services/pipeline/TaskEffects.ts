/**
 * The effects that tasks and calls may have on the project. The effects of a task follow from the tools of its skill.
 */
import * as Effect from "effect/Effect"
import type { Task } from "../../domain/plan/Task.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { type ToolCall, fileTools, mayChangeFiles } from "../../domain/tools/ToolCall.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

export const makeTaskEffects = Effect.gen(function* () {
  const skills = yield* Skills
  const registry = yield* ToolRegistry
  const allTools = registry.tools.map(({ name }) => name)

  const toolsOf = (task: Task): ReadonlyArray<string> => {
    const skill = skills.find(task.skill)
    return skill === undefined ? [] : toolsOfSkill(skill, allTools)
  }

  return {
    /** True for a task that may change what other tasks read. */
    mayWrite: (task: Task): boolean => registry.changesSomething(toolsOf(task)),
    /** True for a task that may act outside its working copy while its turns run. */
    mayAct: (task: Task): boolean => registry.changesSomething(toolsOf(task).filter((tool) => !fileTools.has(tool))),
    mayChangeFiles: (task: Task): boolean => mayChangeFiles(toolsOf(task)),
    mayChange: ({ name }: ToolCall): boolean => registry.find(name)?.effect !== "pure"
  }
})
