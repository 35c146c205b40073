/**
 * A skill: how to refine and how to execute one kind of task, and which tools it may use. Read from SKILL.md.
 */
import * as Schema from "effect/Schema"
import { SkillInput } from "./SkillInput.ts"

export class Skill extends Schema.Class<Skill>("task-conductor/domain/skills/Skill")({
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
  /** The lines of it that name an input with its type. */
  inputs: Schema.Array(SkillInput),
  /** Markdown under `## Refinement`. */
  refinement: Schema.String,
  /** Markdown under `## Execution`; the whole body when the file has none of our headings. */
  execution: Schema.String
}) {}

/** True for the name of a model as Ollama has them: `qwen3:8b`, `someone/model:tag`. Never a URL or a path. */
export const isModelName = (name: string): boolean =>
  name.length <= 200 &&
  /^[a-z\d][\w.-]*(?:\/[a-z\d][\w.-]*){0,2}(?::[a-z\d][\w.-]*)?$/i.test(name) &&
  !name.includes("..")

/** True for a model that the server of the person hands on to another one: `gpt-oss:120b-cloud`. */
export const isCloudModel = (name: string): boolean => /[:-]cloud$/i.test(name)

/** True for what the format allows as the name of a skill. */
export const isSkillName = (name: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64
