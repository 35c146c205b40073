/** Finds SKILL.md files by path, and checks them strictly. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { skillLinks, lintSkill, type SkillLint } from "./SkillLint.ts"
import { maxSkillBytes, type SkillFolders, skillRoots } from "../../kit/documents.ts"
import { specialKind } from "../../kit/files.ts"

/** A skill file with its findings. */
export interface LintedSkill extends SkillLint {
  readonly name: string
  readonly path: string
  readonly text: string
}

const isFile = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.stat(file).pipe(
    Effect.flatMap((info) => specialKind(file, info)),
    Effect.map((special) => special === undefined),
    Effect.orElseSucceed(() => false)
  )
})

/**
 * The skill files that a path means. The first of these that exists counts:
 * - the path itself, if it is a SKILL.md
 * - the SKILL.md in the folder with this path
 * - the SKILL.md files in the subfolders of this folder
 */
const filesAt = Effect.fnUntraced(function* (target: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const absolute = path.resolve(target)
  if (path.basename(absolute) === "SKILL.md") return (yield* isFile(absolute)) ? [absolute] : []
  const own = path.join(absolute, "SKILL.md")
  if (yield* isFile(own)) return [own]
  const names = yield* fs.readDirectory(absolute).pipe(Effect.orElseSucceed((): Array<string> => []))
  return yield* Effect.filter(
    names.toSorted().map((name) => path.join(absolute, name, "SKILL.md")),
    isFile
  )
})

const lintFile = Effect.fnUntraced(function* (file: string, tools: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(file)
  if (Number((yield* fs.stat(file)).size) > maxSkillBytes) {
    return yield* Effect.fail({ message: `it is larger than ${maxSkillBytes} bytes; shorten it` })
  }
  const bytes = yield* fs.readFile(file)
  const files = yield* Effect.filter(skillLinks(bytes), (href) => isFile(path.resolve(folder, href)))
  const name = path.basename(folder)
  const text = new TextDecoder().decode(bytes)
  return { name, path: file, text, ...lintSkill(bytes, name, { tools, files: new Set(files) }) }
})

/**
 * Checks the skills at these paths. If there are none, checks the skills of the user and the project. `tools` are the
 * tools of a run. `failures` says which paths could not be checked.
 */
export const lintSkills = Effect.fn("lintSkills")(function* (
  paths: ReadonlyArray<string>,
  folders: SkillFolders,
  tools: ReadonlyArray<string>
) {
  const roots = (yield* skillRoots(folders))
    .filter(({ isForeign = false, origin }) => origin !== "package" && !isForeign)
    .map(({ folder }) => folder)
  const skills: Array<LintedSkill> = []
  const failures: Array<string> = []
  const checked = new Set<string>()
  for (const target of paths.length === 0 ? roots : paths) {
    const files = yield* filesAt(target)
    if (files.length === 0 && paths.length > 0) {
      failures.push(`${target}: there is no skill. Give a SKILL.md, the folder it is in, or a folder of such folders.`)
    }
    for (const file of files.filter((one) => !checked.has(one))) {
      checked.add(file)
      yield* lintFile(file, tools).pipe(
        Effect.match({
          onSuccess: (one) => void skills.push(one),
          onFailure: (error) => void failures.push(`${file} could not be checked: ${error.message}.`)
        })
      )
    }
  }
  return { skills, failures }
})
