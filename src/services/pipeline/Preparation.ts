/**
 * Prepares the rounds of a run: the briefing and the task list, each made once, however often the run is resumed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { renderTaskList } from "../../domain/documents/TaskRendering.ts"
import { Briefing } from "../../domain/models/Briefing.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import { stageKey } from "../../domain/runs/ActivityKey.ts"
import type { NoValidPlan, RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { Activities } from "../journal/Activities.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { Skills } from "../skills/Skills.ts"
import { Briefer, type BriefingError } from "./Briefer.ts"
import { makeMissingTools } from "./MissingTools.ts"
import { Planned, Planner } from "./Planner.ts"

/** A task list that may run, as a value and as markdown. */
export interface CheckedTaskList {
  readonly taskList: TaskList
  readonly markdown: string
}

/** An order that can be executed. */
export interface Prepared {
  readonly briefing: Briefing
  /** Makes the task list, or uses that of the order, and publishes it. */
  readonly createTaskList: Effect.Effect<CheckedTaskList, NoValidPlan | ModelError>
}

export class Preparation extends Context.Service<
  Preparation,
  {
    /** Gathers the briefing, and rejects an order that cannot be executed. Publishes nothing. */
    prepare(order: RunOrder): Effect.Effect<Prepared, BriefingError | UnknownSkill>
  }
>()("task-conductor/services/pipeline/Preparation") {
  static readonly layer = Layer.effect(
    Preparation,
    Effect.gen(function* () {
      const activities = yield* Activities
      const briefer = yield* Briefer
      const planner = yield* Planner
      const events = yield* RunEvents
      const missing = yield* makeMissingTools
      const skills = yield* Skills

      const brief = ({ attachment, currentFile, openFiles = [], prompt }: RunOrder) =>
        activities.runStage(
          { key: stageKey.briefing, success: Briefing },
          briefer.brief({
            prompt,
            openFiles,
            ...(currentFile === undefined ? {} : { currentFile }),
            ...(attachment === undefined ? {} : { attachment })
          })
        )

      const plan = ({ plan: markdown }: RunOrder, briefing: Briefing) =>
        activities.runStage(
          { key: stageKey.plan, success: Planned },
          markdown === undefined ? planner.plan(briefing) : planner.read(markdown, briefing)
        )

      /** What the skills of the list have to do without, each once. */
      const partlyEquipped = ({ tasks }: TaskList): ReadonlyArray<string> =>
        [...new Set(tasks.map(({ skill }) => skill))].flatMap((name) => {
          const skill = skills.find(name)
          return (skill === undefined ? undefined : missing.whatIsMissing(skill)) ?? []
        })

      const publish = Effect.fnUntraced(function* (planned: Planned, { prompt }: RunOrder) {
        const { taskList } = planned
        const markdown = renderTaskList(taskList, { prompt })
        yield* events.publish({ type: "plan.created", ...planned, markdown })
        for (const text of partlyEquipped(taskList)) {
          yield* events.publish({ type: "message", level: "warning", text })
        }
        return { taskList, markdown }
      })

      const prepare = Effect.fn("Preparation.prepare")(function* (order: RunOrder) {
        const briefing = yield* brief(order)
        const planned =
          order.skill === undefined
            ? plan(order, briefing)
            : yield* planner.single(order.skill, briefing).pipe(
                Effect.map(Effect.succeed),
                Effect.catchTag("NoValidPlan", (invalid) => Effect.succeed(Effect.fail(invalid)))
              )
        return { briefing, createTaskList: Effect.flatMap(planned, (made) => publish(made, order)) }
      })

      return Preparation.of({ prepare })
    })
  )
}
