/**
 * What a run is asked to do, and the ways in which it can be refused before any task runs.
 */
import * as Schema from "effect/Schema"
import { Issue } from "./Issue.ts"

export interface RunOrder {
  readonly runId: string
  /** What the person asked; not empty. */
  readonly prompt: string
  /** Path of the file the person is looking at. */
  readonly currentFile?: string
  readonly openFiles?: ReadonlyArray<string>
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
}

/** There is no valid task list; `issues` are those of the last attempt. */
export class NoValidPlan extends Schema.TaggedError<NoValidPlan>()("NoValidPlan", {
  detail: Schema.String,
  issues: Schema.Array(Issue)
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
    return `There is no skill "${this.skill}". Nearest: ${this.nearest.join(", ")}. See "task-conductor skills list".`
  }
}
