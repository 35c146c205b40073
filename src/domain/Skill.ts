/**
 * A skill: how to refine and how to execute one kind of task, and which tools it may use. Read from SKILL.md.
 */
import * as Schema from "effect/Schema"

export class Skill extends Schema.Class<Skill>("task-conductor/domain/Skill")({
  name: Schema.String,
  /** What the skill does and when to use it; all that the planner sees. */
  description: Schema.String,
  /** Names of tools; absent when the file does not restrict them. */
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `metadata.task-conductor.requires-approval` */
  requiresApproval: Schema.Boolean,
  /** `metadata.task-conductor.model` */
  model: Schema.optionalKey(Schema.String),
  /** Markdown under `## Input requirements`. */
  inputRequirements: Schema.String,
  /** Markdown under `## Refinement`. */
  refinement: Schema.String,
  /** Markdown under `## Execution`; the whole body when the file has none of our headings. */
  execution: Schema.String
}) {}
