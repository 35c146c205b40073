/**
 * What a refinement yields: the task with its fields updated, the inputs of its skill, and the calls to make.
 */
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import { InputValue } from "./InputValue.ts"
import { Task } from "../plan/Task.ts"
import { ToolCall } from "../tools/ToolCall.ts"

export const Refinement = Schema.Struct({
  task: Task,
  /** The typed inputs of the skill in its order; absent when it has none. */
  inputs: Schema.optionalKey(Schema.NonEmptyArray(InputValue)),
  calls: Schema.Array(ToolCall)
})
export type Refinement = typeof Refinement.Type

/** The inputs as a field of a refinement; no field when there are none. */
export const inputsField = (inputs: ReadonlyArray<InputValue>): Pick<Refinement, "inputs"> =>
  Arr.isReadonlyArrayNonEmpty(inputs) ? { inputs } : {}
