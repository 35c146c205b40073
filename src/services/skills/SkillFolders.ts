/**
 * The folders with skills, and the skill files in them. If several folders have a skill of the same name, the last
 * folder takes precedence.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import { type Issue, issueText, type Repair } from "../../domain/findings/Issue.ts"
import { Skill } from "../../domain/skills/Skill.ts"
import { readSkill } from "../../domain/skills/SkillFormat.ts"
import { isWithin, specialKind } from "../files/CanonicalPath.ts"
import { realPath } from "../files/FileLook.ts"
import { packageFolder } from "../files/PackageFolder.ts"

/** The maximum number of files of a skill. Each file takes space in every prompt that uses the skill. */
const maxFiles = 20
const maxEntries = 500
const maxDepth = 4

/** True for a file that a task does not need: the SKILL.md of the skill, its tests, and generated files. */
const isLeftOut = (name: string, depth: number): boolean =>
  name.startsWith(".") || name === "node_modules" || name === "__pycache__" || (depth === 0 && /^(?:SKILL\.md|tests)$/.test(name))

/** Sorted relative paths of the files below a folder. Links are skipped, because they may lead anywhere. */
const filesBelow = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files: Array<string> = []
  let entries = 0
  const walk = (relative: string, depth: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const here = path.join(folder, relative)
      for (const name of (yield* fs.readDirectory(here)).toSorted()) {
        entries += 1
        if (entries > maxEntries) return
        const inside = relative === "" ? name : `${relative}/${name}`
        const isLink = (yield* fs.realPath(path.join(here, name))) !== path.join(here, name)
        if (isLink || isLeftOut(name, depth)) continue
        const { type } = yield* fs.stat(path.join(here, name))
        if (type === "File") files.push(inside)
        else if (type === "Directory" && depth < maxDepth) yield* walk(inside, depth + 1)
      }
    }).pipe(Effect.ignore)
  yield* walk("", 0)
  return files
})

/**
 * The files of a skill, as paths for `read_file`: relative to `project` if it is set, and absolute otherwise. Files
 * that the text of the skill names come first.
 */
export const skillResources = Effect.fn("skillResources")(function* (
  folder: string,
  text: string,
  project: string | undefined
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* fs.realPath(folder)
  const root = project === undefined ? undefined : yield* fs.realPath(project)
  const files = yield* filesBelow(real)
  const chosen = [...files.filter((file) => text.includes(file)), ...files.filter((file) => !text.includes(file))]
  return chosen.slice(0, maxFiles).map((file) => {
    const absolute = path.join(real, file)
    return root === undefined ? absolute : path.relative(root, absolute).split(path.sep).join("/")
  })
})

/** The folders at which the search for skills begins, as absolute paths. */
export interface SkillFolders {
  readonly project: string
  readonly home: string
  /** The folder of `$XDG_CONFIG_HOME`. If absent, `<home>/.config`. */
  readonly config?: string
  /** The folder with the built-in skills. If absent, the folder `skills` of the package. */
  readonly builtIn?: string
  /** The skills folders of plugins. If two folders have a skill of the same name, the first folder wins. */
  readonly plugins?: ReadonlyArray<PluginSkills>
}

/** The skills folder of a plugin. */
export interface PluginSkills {
  readonly plugin: string
  readonly folder: string
}

interface SkillRoot {
  readonly origin: "package" | "plugin" | "user" | "project"
  readonly folder: string
  /**
   * Only for a folder of the project: the path of the project. A skill that a link places outside the project is left
   * out.
   */
  readonly project?: string
  /**
   * Only for a folder of the user: the path of the project. A skill that a link places inside the project is left out,
   * because it is not the user's own.
   */
  readonly awayFrom?: string
  /** True for the skills folder of another program. Its skills follow the rules of that program. */
  readonly isForeign?: boolean
}

/** True if a path is in a folder after all links are resolved. False if the path does not exist. */
const isBelow = Effect.fnUntraced(function* (folder: string, file: string) {
  const [root, real] = [yield* realPath(folder), yield* realPath(file)]
  return root !== undefined && real !== undefined && isWithin(root, real)
})

/**
 * The folders in which skills lie. Later folders take precedence. Folders of plugins come first, so a plugin never
 * replaces an existing skill.
 */
export const skillRoots = Effect.fnUntraced(function* (folders: SkillFolders) {
  const path = yield* Path.Path
  const builtIn = folders.builtIn ?? packageFolder("skills")
  const config = folders.config ?? path.join(folders.home, ".config")
  /** If the project contains the home folder, the user's own skills may lie in the project. */
  const away = (yield* isBelow(folders.project, folders.home)) ? {} : { awayFrom: folders.project }
  const roots: ReadonlyArray<SkillRoot> = [
    ...(folders.plugins ?? []).toReversed().map(({ folder }): SkillRoot => ({ origin: "plugin", folder })),
    { origin: "package", folder: builtIn },
    { origin: "user", folder: path.join(folders.home, ".claude", "skills"), isForeign: true, ...away },
    { origin: "user", folder: path.join(folders.home, ".agents", "skills"), ...away },
    { origin: "user", folder: path.join(config, "task-conductor", "skills"), ...away },
    ...[".claude", ".agents", ".task-conductor"].map((own): SkillRoot => {
      const { project } = folders
      return { origin: "project", folder: path.join(project, own, "skills"), project, isForeign: own === ".claude" }
    })
  ]
  return roots.filter((root, index) => !roots.slice(index + 1).some((nearer) => nearer.folder === root.folder))
})

/** A skill file after reading: its skill, or why it cannot be used. */
export interface SkillFileReading {
  readonly root: SkillRoot
  readonly path: string
  readonly skill: Option.Option<Skill>
  readonly notes: ReadonlyArray<string>
}

type Read = Pick<SkillFileReading, "skill" | "notes">

/** The maximum size of a skill file, in bytes. A larger file would fill any prompt. */
export const maxSkillBytes = 262_144

const leftOut = (path: string, because: string): Read => ({
  skill: Option.none(),
  notes: [`${path}: ${because} The skill is left out.`]
})

const unreadable = (path: string, { reason }: PlatformError): Read =>
  leftOut(path, `This could not be read (${reason._tag}).`)

/** Only repairs that remove a part of the skill are reported here. `skills lint` reports all repairs. */
const notesOf = (file: string, issues: ReadonlyArray<Issue>, repairs: ReadonlyArray<Repair>): ReadonlyArray<string> => [
  ...issues.map((issue) => `${file}:${issue.where.line ?? 1}: ${issueText(issue)} The skill is left out.`),
  ...repairs
    .filter((repair) => repair.code === "skill-model-name")
    .map((repair) => `${file}:${repair.where.line ?? 1}: ${repair.message}`)
]

const readFile = Effect.fnUntraced(function* (root: SkillRoot, file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(file)
  if ((yield* specialKind(file, info)) !== undefined || Number(info.size) > maxSkillBytes) {
    return leftOut(file, `This is not a file of at most ${maxSkillBytes} bytes.`)
  }
  // A link in a project must not lead to files outside, because the project may come from somebody else.
  if (root.project !== undefined && !(yield* isBelow(root.project, file)))
    return leftOut(file, "This is a link that leads out of the project.")
  if (root.awayFrom !== undefined && (yield* isBelow(root.awayFrom, file))) {
    return leftOut(file, "This leads into the project, so that it is not yours.")
  }
  const bytes = yield* fs.readFile(file)
  const { issues, repairs, value } = readSkill(bytes, folder)
  const notes = notesOf(file, issues, repairs)
  if (Option.isNone(value) || root.origin === "package") return { skill: value, notes }
  const { inputRequirements, refinement, execution } = value.value
  const text = [inputRequirements, refinement, execution].join("\n")
  const files = yield* skillResources((yield* Path.Path).dirname(file), text, root.project)
  const skill = files.length > 0 ? new Skill({ ...value.value, files }) : value.value
  return { skill: Option.some(skill), notes }
})

/** Reads `<root>/<name>/SKILL.md`. Returns nothing if there is no such file. */
const readSkillIn = (root: SkillRoot) =>
  Effect.fnUntraced(function* (name: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join(root.folder, name)
    const readingOf = (at: string, read: Read): ReadonlyArray<SkillFileReading> => [{ root, path: at, ...read }]
    const inside = yield* Effect.result(fs.readDirectory(folder))
    if (Result.isFailure(inside)) {
      // A plain file in the folder for skills is ignored. A dangling link or an unreadable folder is reported.
      const isFile = yield* Effect.orElseSucceed(
        Effect.map(fs.stat(folder), (info) => info.type === "File"),
        () => false
      )
      return isFile ? [] : readingOf(folder, unreadable(folder, inside.failure))
    }
    if (!inside.success.includes("SKILL.md")) return []
    const file = path.join(folder, "SKILL.md")
    const read = yield* readFile(root, file, name).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.succeed(unreadable(file, error)))
    )
    return readingOf(file, read)
  })

const skillsAtOnce = 8

/** Reads the skills in the folders of a root, sorted by name. A missing root contains no skills. */
export const readSkillRoot = Effect.fnUntraced(function* (root: SkillRoot) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.result(fs.readDirectory(root.folder))
  if (Result.isFailure(names)) {
    const isAbsent = names.failure.reason._tag === "NotFound"
    return isAbsent ? [] : [{ root, path: root.folder, ...unreadable(root.folder, names.failure) }]
  }
  const read = yield* Effect.forEach(names.success.toSorted(), readSkillIn(root), { concurrency: skillsAtOnce })
  return read.flat()
})
