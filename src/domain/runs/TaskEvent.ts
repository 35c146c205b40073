/**
 * The events about one task of a run.
 */
import * as Schema from "effect/Schema"
import { ToolCall } from "../tools/ToolCall.ts"
import { Refinement } from "../documents/RefinementFormat.ts"
import { TaskFailure, TaskResult } from "../plan/TaskResult.ts"

const taskFields = { round: Schema.Int, step: Schema.Int, task: Schema.String }
export const TaskRefined = Schema.Struct({
  type: Schema.tag("task.refined"),
  ...taskFields,
  inputs: Refinement.fields.inputs,
  calls: Schema.Array(ToolCall)
})
/** The task had finished before the run was resumed; its result is used. */
export const TaskKept = Schema.Struct({ type: Schema.tag("task.kept"), ...taskFields })
/** The references whose content a task gets; `hash` is the SHA-256 of the text in hex, `tokens` an estimate. */
export const ReferencesRead = Schema.Struct({
  type: Schema.tag("references.read"),
  task: Schema.String,
  references: Schema.Array(
    Schema.Struct({
      href: Schema.String,
      title: Schema.String,
      characters: Schema.Int,
      tokens: Schema.Int,
      hash: Schema.String
    })
  )
})
export const TaskStarted = Schema.Struct({ type: Schema.tag("task.started"), ...taskFields })
export const TaskFinished = Schema.Struct({ type: Schema.tag("task.finished"), ...taskFields, result: TaskResult })
export const TaskFailed = Schema.Struct({ type: Schema.tag("task.failed"), ...taskFields, failure: TaskFailure })
