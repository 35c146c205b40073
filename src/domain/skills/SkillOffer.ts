/**
 * Which skills can be offered to the planner: those whose tools are there. Called by services/pipeline/UsableSkills and by the
 * lists of skills.
 */
import type { Skill } from "./Skill.ts"

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
