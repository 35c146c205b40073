/**
 * A run as a workflow of effect/workflow: the pipeline with a name and an id, so that any engine can execute it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { RunReport } from "../../domain/runs/RunReport.ts"
import { BriefingError } from "./Briefer.ts"
import type { AnswerStore } from "../journal/DurableApprover.ts"
import { JournalError } from "../journal/JournalError.ts"
import { Pipeline } from "./Pipeline.ts"

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
export const RunSeat = Schema.Struct({
  number: Schema.Int,
  declined: Schema.Record(Schema.String, Schema.String)
})
export type RunSeat = typeof RunSeat.Type

/** The workflow from an order to its report; the id of the execution is the id of the run. */
export const RunWorkflow = Workflow.make("task-conductor/Run", {
  payload: { order: RunOrder, seat: Schema.optionalKey(RunSeat) },
  success: RunReport,
  error: Schema.Union([UnknownSkill, BriefingError, JournalError, RunRefused]),
  idempotencyKey: ({ order, seat }) => (seat === undefined ? order.runId : `${order.runId}/${seat.number}`)
})

/** Executes the order on the current engine. */
export const conduct = (order: RunOrder) => RunWorkflow.execute({ order })

/** Registers the workflow with the engine. */
export const layerRunWorkflow = Layer.unwrap(
  Effect.map(Pipeline, (pipeline) => RunWorkflow.toLayer(({ order }) => pipeline.run(order)))
)

/** Where the answers for a run are persisted on an engine. */
export const answersOf = (engine: WorkflowEngine["Service"], order: RunOrder): Effect.Effect<AnswerStore> =>
  Effect.map(RunWorkflow.executionId({ order }), (executionId) => ({ engine, workflow: RunWorkflow, executionId }))
