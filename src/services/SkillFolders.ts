/**
 * Where skills are found, farthest first, and what lies there. Called by services/Skills.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { type Issue, issueText } from "../domain/Issue.ts"
import type { Skill } from "../domain/Skill.ts"
import { readSkill } from "../domain/SkillFormat.ts"
import { packageFolder } from "./PackageFolder.ts"

/** The folders that the places of skills are made of; absolute paths. */
export interface SkillFolders {
  readonly project: string
  readonly home: string
  /** `$XDG_CONFIG_HOME`; `<home>/.config` when absent. */
  readonly config?: string
  /** The skills that the package ships when absent. */
  readonly builtIn?: string
}

export interface SkillRoot {
  readonly origin: "package" | "user" | "project"
  readonly folder: string
}

/** The folders that hold skill folders; a later one is nearer and wins. */
export const skillRoots = Effect.fnUntraced(function* (folders: SkillFolders) {
  const path = yield* Path.Path
  const builtIn = folders.builtIn ?? (yield* packageFolder("skills"))
  const config = folders.config ?? path.join(folders.home, ".config")
  const roots: ReadonlyArray<SkillRoot> = [
    { origin: "package", folder: builtIn },
    { origin: "user", folder: path.join(folders.home, ".agents", "skills") },
    { origin: "user", folder: path.join(config, "task-conductor", "skills") },
    { origin: "project", folder: path.join(folders.project, ".agents", "skills") },
    { origin: "project", folder: path.join(folders.project, ".task-conductor", "skills") }
  ]
  return roots.filter((root, index) => !roots.slice(index + 1).some((nearer) => nearer.folder === root.folder))
})

/** A skill file that was read, or why it cannot be used. */
export interface SkillFile {
  readonly root: SkillRoot
  readonly path: string
  readonly skill: Option.Option<Skill>
  readonly notes: ReadonlyArray<string>
}

/** The largest skill file that is read, in bytes; a longer one would fill any prompt. */
const maxBytes = 262_144

const noteOf = (file: string, issue: Issue): string =>
  `${file}:${issue.where.line ?? 1}: ${issueText(issue)} The skill is left out.`

const readFile = Effect.fnUntraced(function* (file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(file)
  if (info.type !== "File" || Number(info.size) > maxBytes) {
    return {
      skill: Option.none(),
      notes: [`${file}: This is not a file of at most ${maxBytes} bytes. The skill is left out.`]
    }
  }
  const reading = readSkill(yield* fs.readFile(file), folder)
  return { skill: reading.value, notes: reading.issues.map((issue) => noteOf(file, issue)) }
})

/** Reads `<root>/<name>/SKILL.md` for every folder in a root, sorted by name. A root that does not exist is empty. */
export const readSkillRoot = Effect.fnUntraced(function* (root: SkillRoot) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* fs.readDirectory(root.folder).pipe(Effect.orElseSucceed((): Array<string> => []))
  const files: Array<SkillFile> = []
  for (const name of names.sort()) {
    const file = path.join(root.folder, name, "SKILL.md")
    if (!(yield* fs.exists(file).pipe(Effect.orElseSucceed(() => false)))) continue
    const read = yield* readFile(file, name).pipe(
      Effect.catch((error) =>
        Effect.succeed({
          skill: Option.none<Skill>(),
          notes: [`${file}: The file could not be read (${error.reason._tag}). The skill is left out.`]
        })
      )
    )
    files.push({ root, path: file, ...read })
  }
  return files
})
