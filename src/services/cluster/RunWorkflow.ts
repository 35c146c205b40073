/**
 * A run as a workflow of effect/workflow, which the engine of a cluster gives to one of its workers.
 */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { RunReport } from "../../domain/runs/RunReport.ts"
import { JournalError } from "../journal/JournalError.ts"
import { BriefingError } from "../pipeline/Briefer.ts"

/** The run could not be executed at all. */
export class RunRefused extends Schema.TaggedError<RunRefused>()("RunRefused", {
  what: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.what
  }
}

/** Where a run goes on that workers have given back: how many, and what they lack, by their names. */
export const RunPlacement = Schema.Struct({
  number: Schema.Int,
  declined: Schema.Record(Schema.String, Schema.String)
})
export type RunPlacement = typeof RunPlacement.Type

/** The workflow from an order to its report. */
export const RunWorkflow = Workflow.make("task-conductor/Run", {
  payload: { order: RunOrder, placement: Schema.optionalKey(RunPlacement) },
  success: RunReport,
  error: Schema.Union([UnknownSkill, BriefingError, JournalError, RunRefused]),
  idempotencyKey: ({ order, placement }) =>
    placement === undefined ? order.runId : `${order.runId}/${placement.number}`
})
