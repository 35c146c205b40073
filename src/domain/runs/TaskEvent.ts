/**
 * What a run tells of one task: refined, kept, started, what it was shown, how it ended.
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
/** The task had finished before the run was resumed; its result counts and nothing of it is done again. */
export const TaskKept = Schema.Struct({ type: Schema.tag("task.kept"), ...taskFields })
/** What a task is shown of its references; `hash` is the SHA-256 of the text in hex, `tokens` an estimate. */
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
