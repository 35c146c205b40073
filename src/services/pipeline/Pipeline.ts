/** The two things that a run can do. RunFlow.ts carries them out. */
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
     * Runs to the end. Always returns a report, except for a rejected order. The last event contains the report, even
     * after an interruption.
     */
    run(order: RunOrder): Effect.Effect<RunReport, UnknownSkill | BriefingError | JournalError>
    /** Stops after the task list was checked. */
    plan(order: RunOrder): Effect.Effect<CheckedTaskList, NoValidPlan | ModelError | BriefingError | UnknownSkill>
  }
>()("task-conductor/services/pipeline/Pipeline") {}
