/**
 * What the calls of a run change and which tasks promise a change, as its tools and skills say.
 */
import * as Effect from "effect/Effect"
import type { ChangeKinds } from "../../domain/runs/PromisedChanges.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** A path as it is written, below the project: without `./`, `..` and the path of the project itself. */
const withinProject = (path: string, root: string): string => {
  const relative = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path
  const parts: Array<string> = []
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts.join("/")
}

export const changeKinds = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const skills = yield* Skills
  const { root } = yield* Workspace
  const kinds: ChangeKinds = {
    /* A safe tool with an effect, such as a list of notes, changes nothing that the person asked for. */
    changeOf: ({ arguments: given, name }) => {
      const info = registry.find(name)
      if (info === undefined || info.effect === "pure" || info.risk === "safe") return undefined
      const { argv, path } = given
      if (info.origin === builtInOrigin && Array.isArray(argv)) {
        return { what: `anything with \`${argv.join(" ")}\``, target: name, isFile: false }
      }
      if (info.origin !== builtInOrigin || typeof path !== "string") {
        return { what: `what ${name} changes`, target: name, isFile: false }
      }
      const file = withinProject(path, root)
      return { what: `${file} (${name})`, target: `/${file}`, isFile: true }
    },
    /* Commands are approved for what they might do; a skill for checks changes nothing by them. */
    promisesChange: ({ skill: name }) => {
      const skill = skills.find(name)
      if (skill?.requiresApproval !== true) return false
      const all = registry.tools.map((tool) => tool.name)
      return toolsOfSkill(skill, all).some((tool) => {
        const info = registry.find(tool)
        return info !== undefined && info.effect !== "pure" && info.risk !== "safe" && tool !== "run_command"
      })
    }
  }
  return kinds
})
