/**
 * The skills that a plan may use, which are those whose tools are available.
 */
import * as Effect from "effect/Effect"
import { usableSkills } from "../../domain/skills/Skill.ts"
import { catalogueOf, Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** Their names, and the markdown that the model sees. */
export const plannerSkills = Effect.gen(function* () {
  const skills = yield* Skills
  const { tools } = yield* ToolRegistry
  const offered = usableSkills(
    skills.all.map((found) => found.skill),
    tools.map((tool) => tool.name)
  )
  return { names: offered.map((skill) => skill.name), catalogue: catalogueOf(offered) }
})
