/** What a run is to do, and the errors that prevent it before any task runs. */
import * as Schema from "effect/Schema"
import { Issue } from "../findings/Issue.ts"
import { Attachment } from "../models/Briefing.ts"

/** What a run is to do, as its journal has it. */
export const RunOrder = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** The prompt of the person; not empty. */
  prompt: Schema.String,
  /** Path of the file the person is looking at. */
  currentFile: Schema.optionalKey(Schema.String),
  /** Paths of the files that are open in the editor of the person. */
  openFiles: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Skips planning: one task with this skill. */
  skill: Schema.optionalKey(Schema.String),
  /** Skips planning: the markdown of a task list. */
  plan: Schema.optionalKey(Schema.String),
  /** What belongs to the prompt, such as the output of a command. */
  attachment: Schema.optionalKey(Attachment),
  /** The JSON schema that the answer has to fit. */
  outputSchema: Schema.optionalKey(Schema.Json),
  /** The run changes nothing, so that it needs no lock on the project. */
  readOnly: Schema.optionalKey(Schema.Boolean),
  /** A check that fails with the changes, or that the person named and that proves nothing, keeps no run from being done. */
  acceptUnverified: Schema.optionalKey(Schema.Boolean)
})
export type RunOrder = typeof RunOrder.Type

/**
 * There is no valid task list; `issues` are those of the last attempt. `attempts` is how often a model was asked; absent for
 * a list that a person gave.
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

/** The skill given by the person does not exist. */
export class UnknownSkill extends Schema.TaggedError<UnknownSkill>()("UnknownSkill", {
  skill: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no skill "${this.skill}". Use one of: ${this.nearest.join(", ")}. See "task-conductor skills list".`
  }
}
