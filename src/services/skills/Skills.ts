/**
 * The skills of a run, from the package, plugins, the user and the project. Of two skills with the same name, the one
 * nearer to the project is used, and a note says so. If no skill names the tools of a plugin or server, a skill is
 * generated for them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import { estimateTokens } from "../../domain/models/PromptSize.ts"
import { Skill } from "../../domain/skills/Skill.ts"
import { makeToolSkills } from "../../domain/skills/ToolSkill.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { readSkillRoot, type SkillFileReading, type SkillFolders, skillRoots } from "./SkillFolders.ts"

/** A skill and where it comes from. */
export interface FoundSkill {
  readonly skill: Skill
  /** Where the skill comes from; `tools` if it was generated for the tools of a plugin or server. */
  readonly origin: "package" | "plugin" | "user" | "project" | "tools"
  /** The path of the SKILL.md of the skill. For a generated skill, this is the name of the plugin or server. */
  readonly path: string
}

/** Markdown for the planner: one line `- name: description` per skill. */
export const catalogueOf = (skills: ReadonlyArray<Skill>): string =>
  skills.map((skill) => `- ${skill.name}: ${skill.description}`).join("\n")

/**
 * Restricts a skill of the project or of a plugin, so that it cannot remove an approval. It also cannot send prompts to
 * a server that the user did not choose.
 */
const restricted = (
  { path, root }: SkillFileReading,
  skill: Skill,
  hidden: FoundSkill | undefined,
  leavesMachine: LeavesMachine,
  notes: Array<string>
): Skill => {
  if (root.origin !== "project" && root.origin !== "plugin") return skill
  const { model, name, ...rest } = skill
  const keepsApproval = hidden?.skill.requiresApproval === true && !skill.requiresApproval
  if (keepsApproval) {
    notes.push(
      `The skill "${name}" in ${path} requires approval all the same: the one it replaces does, and a project cannot take that away.`
    )
  }
  const isElsewhere = model !== undefined && leavesMachine(model)
  if (isElsewhere) {
    notes.push(
      `The model "${model}" of the skill "${name}" in ${path} is not used: it works on another server, and a ${root.origin} cannot choose that.`
    )
  }
  const requiresApproval = skill.requiresApproval || keepsApproval
  return new Skill({ name, ...rest, requiresApproval, ...(model === undefined || isElsewhere ? {} : { model }) })
}

const byName = (a: FoundSkill, b: FoundSkill): number => (a.skill.name < b.skill.name ? -1 : 1)

/** Returns true if the prompts for a model leave this machine. */
type LeavesMachine = (model: string) => boolean

/**
 * Chooses for each name the last skill in `files`, which is the nearest to the project. Notes say which skills are
 * replaced.
 */
const choose = (files: ReadonlyArray<SkillFileReading>, leavesMachine: LeavesMachine) => {
  const chosen = new Map<string, FoundSkill>()
  const notes: Array<string> = []
  for (const file of files) {
    notes.push(...file.notes)
    if (Option.isNone(file.skill)) continue
    const { name } = file.skill.value
    const hidden = chosen.get(name)
    if (hidden !== undefined) notes.push(`The skill "${name}" in ${file.path} replaces the one in ${hidden.path}.`)
    const skill = restricted(file, file.skill.value, hidden, leavesMachine, notes)
    chosen.set(name, { skill, origin: file.root.origin, path: file.path })
  }
  return { all: [...chosen.values()].sort(byName), notes }
}

const discover = Effect.fnUntraced(function* (folders: SkillFolders, leavesMachine: LeavesMachine) {
  const roots = yield* skillRoots(folders)
  const files = yield* Effect.forEach(roots, readSkillRoot, { concurrency: "unbounded" })
  return choose(files.flat(), leavesMachine)
})

const serviceOf = (all: ReadonlyArray<FoundSkill>, notes: ReadonlyArray<string>): Skills["Service"] => ({
  all,
  notes,
  find: (name) => all.find((found) => found.skill.name === name)?.skill
})

export class Skills extends Context.Service<
  Skills,
  {
    /** All skills, sorted by name. */
    readonly all: ReadonlyArray<FoundSkill>
    /** Notes for the user about replaced skills and unreadable files. */
    readonly notes: ReadonlyArray<string>
    find(name: string): Skill | undefined
  }
>()("task-conductor/services/skills/Skills") {
  /** Finds the skills below these folders. A broken skill file causes a note, never an error. */
  static readonly layer = (
    folders: SkillFolders,
    leavesMachine: LeavesMachine
  ): Layer.Layer<Skills, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      Skills,
      Effect.map(discover(folders, leavesMachine), ({ all, notes }) => serviceOf(all, notes))
    )

  /**
   * Like `layer`, but also generates a skill for each plugin and server whose tools no skill names. In a generated
   * skill, the descriptions of the tools may fill at most a quarter of the context window.
   */
  static readonly layerWithTools = (folders: SkillFolders, contextWindow: number, leavesMachine: LeavesMachine) =>
    Layer.effect(
      Skills,
      Effect.gen(function* () {
        const { instructions, problems, tools } = yield* ToolRegistry
        const leftOut = new Set(
          problems.flatMap((one) => ("plugin" in one && one.isUsed !== true ? [one.plugin] : []))
        )
        const plugins = (folders.plugins ?? []).filter(({ plugin }) => !leftOut.has(plugin))
        const { all, notes } = yield* discover({ ...folders, plugins }, leavesMachine)
        const toolSkills = makeToolSkills(
          tools,
          all.map(({ skill }) => skill),
          { tokens: Math.floor(contextWindow / 4), tokensOf: ({ name }) => estimateTokens(instructions([name])) }
        )
        const made = toolSkills.toolSkills.map(({ origin, skill }): FoundSkill => ({ skill, origin: "tools", path: origin }))
        return serviceOf([...all, ...made].sort(byName), [...notes, ...toolSkills.notes])
      })
    )
}
