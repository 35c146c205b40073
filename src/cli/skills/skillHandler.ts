/**
 * What `skills lint` and `skills test` do once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { layerCatalogue, layerSkills } from "../../app/projectLayers.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { parseRule } from "../../domain/permissions/Permission.ts"
import { lintSkills } from "../../services/skills/SkillLinter.ts"
import { Skills } from "../../services/skills/Skills.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { testSkill } from "../../app/skillTests.ts"
import { usageFailure } from "../terminal/Failure.ts"

/** Checks the skills at these paths, or all of the user and the project, with the tools that a run would have. */
export const lintProject = Effect.fn("lintProject")(function* (project: string, paths: ReadonlyArray<string>) {
  const setup = yield* readSetup(project, {})
  const tools = yield* Effect.provide(
    ToolRegistry.use(({ tools }) => Effect.succeed(tools.map((tool) => tool.name))),
    layerCatalogue(setup)
  )
  const { folders } = setup
  return yield* lintSkills(paths, { project: setup.project, home: folders.home, config: folders.config }, tools)
})

/** The SKILL.md that a name or a path means. */
const skillFile = Effect.fnUntraced(function* (given: string, setup: Setup) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (given.includes("/") || given.includes(path.sep)) {
    const file = path.basename(given) === "SKILL.md" ? given : path.join(given, "SKILL.md")
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return path.resolve(file)
    return yield* usageFailure(`There is no ${file}. Give the name of a skill, or the folder of its SKILL.md.`)
  }
  const skills = yield* Effect.provide(
    Skills.use((all) => Effect.succeed(all.all)),
    layerSkills(setup)
  )
  const found = skills.find(({ skill }) => skill.name === given)
  if (found !== undefined) return found.path
  const close = nearestOrAll(
    given,
    skills.map(({ skill }) => skill.name)
  )
  return yield* usageFailure(`There is no skill "${given}". Use one of: ${close.join(", ")}.`)
})

/** Runs the tests of a skill; `flags` hold what they may do beyond their own project, and plugins. */
export const testProjectSkill = Effect.fn("testProjectSkill")(function* (
  project: string,
  given: string,
  flags: Pick<Configuration, "allow" | "plugins">
) {
  const setup = yield* readSetup(project, flags)
  const path = yield* skillFile(given, setup)
  const rules = (flags.allow ?? []).flatMap((text) =>
    Result.match(parseRule("allow", text), { onSuccess: (rule) => [rule], onFailure: () => [] })
  )
  const tests = yield* testSkill(path, { rules, plugins: setup.plugins.filter(({ scope }) => scope === "given") })
  return { path, tests }
})
