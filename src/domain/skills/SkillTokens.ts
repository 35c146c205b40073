/**
 * What a skill takes of the prompts of each stage. Called by domain/skills/SkillLint and `skills describe`.
 */
import type { Skill } from "./Skill.ts"
import { estimateTokens } from "../models/PromptSize.ts"

/** What each stage gets of the skill, in estimated tokens. */
export interface SkillTokens {
  readonly planning: number
  readonly refinement: number
  readonly execution: number
}

/** What each stage gets of a skill, in estimated tokens. */
export const skillTokens = (skill: Skill): SkillTokens => ({
  planning: estimateTokens(`- ${skill.name}: ${skill.description}`),
  refinement: estimateTokens(skill.inputRequirements + skill.refinement),
  execution: estimateTokens(skill.execution)
})
