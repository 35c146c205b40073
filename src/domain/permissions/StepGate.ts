/**
 * The question for a whole step: what it is about and what became of it. The scheduler collects it, the gate asks.
 */
import type { PreparedCall } from "../tools/PreparedCall.ts"

/** The calls of one step that need approval before they run. */
export interface StepGate {
  /** The heading of the step. */
  readonly title: string
  /** Identifies the plan this step belongs to; "all remaining steps" covers only steps with the same key. */
  readonly planKey: string
  readonly tasks: ReadonlyArray<GatedTask>
}

/** A task that needs approval. `gatedBy` says why: the task list, the skill, or the risk of a call. */
export interface GatedTask {
  readonly task: string
  readonly gatedBy: "list" | "skill" | "risk"
  readonly calls: ReadonlyArray<PreparedCall>
}

/** What became of the question for a step, with the one who answered it. */
export interface StepApproved {
  readonly approved: boolean
  readonly by: "person" | "rule" | "nobody"
}
