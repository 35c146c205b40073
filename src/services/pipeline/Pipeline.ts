/** What a conductor can do: a whole run, or only its plan. RunFlow.ts carries out both. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { NoValidPlan, RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { BriefingError } from "./Briefer.ts"
import type { CheckedTaskList } from "./Planner.ts"

export class Pipeline extends Context.Service<
  Pipeline,
  {
    /**
     * Runs an order to the end. Returns a report unless the order is rejected. The last event contains the report, even
     * after an interruption.
     */
    run(order: RunOrder): Effect.Effect<RunReport, UnknownSkill | BriefingError | JournalError>
    /** Makes and checks the task list, but starts no task. */
    plan(order: RunOrder): Effect.Effect<CheckedTaskList, NoValidPlan | ModelError | BriefingError | UnknownSkill>
  }
>()("task-conductor/services/pipeline/Pipeline") {}
