/**
 * What a refinement is once it is read, for those who need no reader.
 */
import * as Schema from "effect/Schema"
import { Task } from "../plan/Task.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"

/** A number for `number`, a boolean for `yes-no`, and otherwise text of one line. */
export const InputValue = Schema.Struct({
  name: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
})
export type InputValue = typeof InputValue.Type

/**
 * What a refinement yields: the task with its fields updated, the inputs of its skill, what was looked at first, and the
 * calls to make.
 */
export const Refinement = Schema.Struct({
  task: Task,
  /** The typed inputs of the skill in its order; absent when it has none. */
  inputs: Schema.optionalKey(Schema.NonEmptyArray(InputValue)),
  /** The reading calls of earlier passes with their outcomes; absent when there were none. They are not made again. */
  looks: Schema.optionalKey(Schema.NonEmptyArray(CallOutcome)),
  calls: Schema.Array(ToolCall)
})
export type Refinement = typeof Refinement.Type
