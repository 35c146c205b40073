/**
 * What a model call is about, as values. A model that reads no prompt, such as the built-in demo, answers from these
 * values.
 */
import * as Context from "effect/Context"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { CallOutcome, ToolInfo } from "../../domain/tools/ToolCall.ts"

/** A turn of a task, or of a message in a conversation. */
export interface TurnSubject {
  readonly stage: "task" | "ask"
  /** The request of the task or the message. */
  readonly request: string
  /** The tools that the answer may call. */
  readonly tools: ReadonlyArray<ToolInfo>
  /** The results that the task refers to. */
  readonly results: ReadonlyArray<TaskResult>
  /** The results of calls in earlier turns. */
  readonly outcomes: () => ReadonlyArray<CallOutcome>
}

/** What a call is about, for each stage. `request` is the prompt of the run. */
export type CallSubject =
  | TurnSubject
  | { readonly stage: "plan"; readonly request: string }
  | {
      readonly stage: "iterate"
      readonly request: string
      readonly outstanding: TaskList
      readonly failures: ReadonlyArray<TaskFailure>
    }
  | {
      readonly stage: "conclude"
      readonly results: ReadonlyArray<TaskResult>
      readonly failures: ReadonlyArray<TaskFailure>
    }

/** The subject of the current call. Each stage sets it for its own calls. */
export const CurrentSubject = Context.Reference<CallSubject | undefined>(
  "task-conductor/services/providers/CallSubject/CurrentSubject",
  { defaultValue: () => undefined }
)
