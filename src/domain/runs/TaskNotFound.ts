/**
 * Somebody named a task that a run does not have. Made where the evidence of a task is read and where a run is forked.
 */
import * as Schema from "effect/Schema"
import { nearest } from "../text/Nearest.ts"

/** The run has no task of this name; `names` are those that it has. */
export class TaskNotFound extends Schema.TaggedError<TaskNotFound>()("TaskNotFound", {
  runId: Schema.String,
  given: Schema.String,
  names: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const near = nearest(this.given, this.names).slice(0, 3)
    const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : `It has: ${this.names.join(", ") || "none"}.`
    return `The run ${this.runId} has no task "${this.given}". ${hint}`
  }
}
