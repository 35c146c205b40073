/**
 * What a refinement yields: the task with its fields updated, and the calls to make.
 */
import * as Schema from "effect/Schema"
import { Task } from "./Task.ts"
import { ToolCall } from "./ToolCall.ts"

export const Refinement = Schema.Struct({ task: Task, calls: Schema.Array(ToolCall) })
export type Refinement = typeof Refinement.Type
