/**
 * What it means for a skill that tools it names are not there: it cannot work without any of them, and works with less
 * when some are missing. The texts name the tools and what to do, such as how to trust the plugin that has them.
 */
import * as Effect from "effect/Effect"
import { missingTools, type Skill, usableSkills } from "../../domain/skills/Skill.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

const generic = "Name the plugin or the server that has it with --plugin or in the configuration, or use another skill."

export const makeMissingTools = Effect.gen(function* () {
  const { problems, tools } = yield* ToolRegistry
  const names = tools.map((tool) => tool.name)
  /* A plugin that was left out was never asked for its tools, so each one may be that of a missing tool. */
  const remedy = problems.length === 0 ? generic : problems.map(({ message }) => message).join(" ")

  const textOf = (skill: Skill, consequence: string): string => {
    const missing = missingTools(skill, names)
    const what = missing.length === 1 ? `there is no tool ${missing[0]}` : `there are no tools ${missing.join(", ")}`
    return `The skill "${skill.name}" ${consequence}: ${what}. ${remedy}`
  }

  return {
    /** Why the skill cannot work at all; nothing when it can. */
    whyUnusable: (skill: Skill): string | undefined =>
      usableSkills([skill], names).length > 0 ? undefined : textOf(skill, "cannot work"),
    /** What the skill has to do without; nothing when all its tools are there. */
    whatIsMissing: (skill: Skill): string | undefined =>
      missingTools(skill, names).length === 0 ? undefined : textOf(skill, "works without a part of its tools")
  }
})
