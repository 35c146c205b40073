/**
 * Tries the checks on the unchanged project while the plan is made, so that what cannot work is said in the first lines and not
 * at the end. What is tried is what each change is compared with later. Where the prompt only asks something, the plan is
 * waited for: without a task that changes files nothing is tried. A trial that takes longer goes on until the first check.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { asksForChange } from "../../domain/checks/CheckRequest.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import { seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { Checks } from "../checks/Checks.ts"
import { Activities } from "../journal/Activities.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { CheckedTaskList } from "./Planner.ts"

/** The first task waits at most so long for a trial that the plan did not outlast: what cannot work ends soon. */
const longestWait = "5 seconds"

const trialsStage = { key: stageKey.trials, success: Schema.Boolean }

/** Makes what creates the task list of an order while the checks are tried. */
export const makeCheckTrial = Effect.gen(function* () {
  const activities = yield* Activities
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

  /** A resumed run has changed the project, perhaps, and tries nothing again. */
  const begin = Effect.andThen(activities.runStage(trialsStage, Effect.succeed(true)), Effect.forkChild(checks.tryOut))

  return Effect.fnUntraced(function* <Made extends { readonly list: CheckedTaskList }, E, R>(
    { prompt, readOnly = false }: RunOrder,
    createTaskList: Effect.Effect<Made, E, R>
  ) {
    const isTried = yield* activities.stageResult(trialsStage)
    if (readOnly || Option.isSome(isTried)) return yield* createTaskList
    const early = asksForChange(prompt) ? yield* begin : undefined
    const stop = early === undefined ? Effect.void : Fiber.interrupt(early)
    const made = yield* Effect.onError(createTaskList, () => stop)
    if (!mayChange(made.list.taskList)) {
      yield* stop
      return made
    }
    const trial = early ?? (yield* begin)
    const waiting = Effect.timeoutOption(Fiber.await(trial), longestWait)
    yield* activities.record({ key: seenKey.trialEnded, success: Schema.Boolean }, Effect.map(waiting, Option.isSome))
    return made
  })
})
