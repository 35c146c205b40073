/**
 * Tries the checks on the unchanged project while the plan is made, so that what cannot work is said in the first lines and not
 * at the end. What is tried is what each change is compared with later. Where the prompt only asks something, the plan is
 * waited for: without a task that changes files nothing is tried.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { asksForChange } from "../../domain/checks/CheckRequest.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { Checks } from "../checks/Checks.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { CheckedTaskList } from "./Planner.ts"

/** A trial that has not ended so long after the plan is given up: what cannot work ends sooner. */
export const longestWait = "3 seconds"

/** Makes what creates the task list of an order while the checks are tried. */
export const makeCheckTrial = Effect.gen(function* () {
  const checks = yield* Checks
  const skills = yield* Skills
  const registry = yield* ToolRegistry
  const allTools = registry.tools.map(({ name }) => name)

  /** True for a plan in which a task may change files. */
  const mayChange = ({ tasks }: TaskList): boolean =>
    tasks.some((task) => {
      const skill = skills.find(task.skill)
      return skill !== undefined && toolsOfSkill(skill, allTools).some((tool) => fileTools.has(tool))
    })

  return Effect.fnUntraced(function* <Made extends { readonly list: CheckedTaskList }, E, R>(
    { prompt, readOnly = false }: RunOrder,
    createTaskList: Effect.Effect<Made, E, R>
  ) {
    if (readOnly) return yield* createTaskList
    const early = asksForChange(prompt) ? yield* Effect.forkChild(checks.tryOut) : undefined
    const stop = early === undefined ? Effect.void : Fiber.interrupt(early)
    const made = yield* Effect.onError(createTaskList, () => stop)
    if (!mayChange(made.list.taskList)) {
      yield* stop
      return made
    }
    const trial = early ?? (yield* Effect.forkChild(checks.tryOut))
    yield* Effect.timeoutOption(Fiber.await(trial), longestWait)
    yield* Fiber.interrupt(trial)
    return made
  })
})
