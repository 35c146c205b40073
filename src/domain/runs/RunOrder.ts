/** The order for a run, and the errors that prevent a run before its first task. */
import * as Schema from "effect/Schema"
import { Issue } from "../findings/Issue.ts"
import { Attachment } from "../models/Briefing.ts"

/** The order for a run, as its journal stores it. */
export const RunOrder = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** The prompt of the user; not empty. */
  prompt: Schema.String,
  /** The path of the file that the user looks at. */
  currentFile: Schema.optionalKey(Schema.String),
  /** The paths of the files that are open in the editor. */
  openFiles: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The skill of the only task. With this field, the run skips planning. */
  skill: Schema.optionalKey(Schema.String),
  /** The markdown of a task list. With this field, the run skips planning. */
  plan: Schema.optionalKey(Schema.String),
  /** Text that belongs to the prompt, such as the output of a command. */
  attachment: Schema.optionalKey(Attachment),
  /** The JSON schema that the answer must fit. */
  outputSchema: Schema.optionalKey(Schema.Json),
  /** True if the run must change nothing. It then needs no lock on the project. */
  readOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * True if the run may end as `done` although a check failed, or although a check that the user named proves nothing.
   */
  acceptUnverified: Schema.optionalKey(Schema.Boolean)
})
export type RunOrder = typeof RunOrder.Type

/**
 * The run has no valid task list. `issues` are those of the last attempt. `attempts` counts the model's attempts;
 * absent if the user wrote the list.
 */
export class NoValidPlan extends Schema.TaggedError<NoValidPlan>()("NoValidPlan", {
  detail: Schema.String,
  issues: Schema.Array(Issue),
  attempts: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return this.detail
  }
}

/** The skill that the user named does not exist. */
export class UnknownSkill extends Schema.TaggedError<UnknownSkill>()("UnknownSkill", {
  skill: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no skill "${this.skill}". Use one of: ${this.nearest.join(", ")}. See "task-conductor skills list".`
  }
}
