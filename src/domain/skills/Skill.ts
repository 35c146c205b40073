/**
 * A skill: how to refine and how to execute one kind of task, and which tools it may use. Read from SKILL.md.
 */
import * as Schema from "effect/Schema"
import { estimateTokens } from "../models/PromptSize.ts"
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

/**
 * The skills that can work with these tools. A skill whose tools are all missing is not: its tasks could never run. A
 * skill that needs no tools, or names none, always is.
 */
export const usableSkills = (all: ReadonlyArray<Skill>, toolNames: ReadonlyArray<string>): ReadonlyArray<Skill> =>
  all.filter(
    ({ allowedTools }) =>
      allowedTools === undefined || allowedTools.length === 0 || allowedTools.some((tool) => toolNames.includes(tool))
  )

/** The tools that a skill names and that are not there. */
export const missingTools = ({ allowedTools = [] }: Skill, toolNames: ReadonlyArray<string>): ReadonlyArray<string> =>
  allowedTools.filter((tool) => !toolNames.includes(tool))

/** Why a skill is not offered to the planner; nothing when it is. */
export const whyNotOffered = (skill: Skill, toolNames: ReadonlyArray<string>): string | undefined => {
  if (usableSkills([skill], toolNames).length > 0) return undefined
  const missing = missingTools(skill, toolNames)
  const tools = missing.length === 1 ? `there is no tool ${missing[0]}` : `there are no tools ${missing.join(", ")}`
  return `The skill "${skill.name}" is not offered: ${tools}.`
}

/** What each stage gets of a skill in its prompts, in estimated tokens. */
export interface SkillTokens {
  readonly planning: number
  readonly refinement: number
  readonly execution: number
}

export const skillTokens = (skill: Skill): SkillTokens => ({
  planning: estimateTokens(`- ${skill.name}: ${skill.description}`),
  refinement: estimateTokens(skill.inputRequirements + skill.refinement),
  execution: estimateTokens(skill.execution)
})
