/**
 * What the stages of one task get.
 */
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"

/** A task with what is known when its turn comes. */
export interface TaskOrder {
  readonly briefing: Briefing
  readonly task: Task
  readonly round: number
  /** Position of the task's step from 0. */
  readonly step: number
  /** Results of earlier rounds and of the tasks this one refers to. */
  readonly finished: ReadonlyArray<TaskResult>
}
