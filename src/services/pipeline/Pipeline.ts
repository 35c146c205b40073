/** What a run is asked for; RunFlow.ts carries it out. */
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
     * Runs to the end. Every outcome except a rejected order is a report, which the last event holds even after an interruption.
     */
    run(order: RunOrder): Effect.Effect<RunReport, UnknownSkill | BriefingError | JournalError>
    /** Stops after the checked task list. */
    plan(order: RunOrder): Effect.Effect<CheckedTaskList, NoValidPlan | ModelError | BriefingError | UnknownSkill>
  }
>()("task-conductor/services/pipeline/Pipeline") {}
