/**
 * The files of the project that a command runs, with a hash of each, so that an answer to the command holds for what they
 * say now. Scripts are followed into the scripts that they name; what a program imports is not.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import {
  looksLikePath,
  type NamedScripts,
  scriptsInText,
  scriptsOfCommand
} from "../../domain/commands/CommandScripts.ts"
import type { RunScript } from "../../domain/tools/Access.ts"
import { canonicalPath, isWithin } from "../files/CanonicalPath.ts"
import { textHash } from "../files/Hash.ts"
import { readTextFile } from "../files/TextFile.ts"

/** More scripts than these are not followed. */
const maxScripts = 200
const maxBytes = 4 * 1_048_576
/** A larger text was not written by hand. */
const maxFollowed = 262_144

/** A text to follow, and the folders where its paths start. */
interface Open {
  readonly named: NamedScripts
  readonly folders: ReadonlyArray<string>
}

/** The files of these names in a folder of the project and in those above it. */
const definitionsFrom = Effect.fnUntraced(function* (root: string, folder: string, names: ReadonlyArray<RegExp>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found: Array<string> = []
  for (let one = folder; names.length > 0 && isWithin(path, root, one); one = path.dirname(one)) {
    const entries = yield* Effect.orElseSucceed(fs.readDirectory(one), () => [])
    found.push(
      ...entries.filter((name) => names.some((pattern) => pattern.test(name))).map((name) => path.join(one, name))
    )
    if (one === root) break
  }
  return found
})

/** The file at a canonical path: its hash, and its text when it is one. Nothing for what is not a file. */
const readScript = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = Option.getOrUndefined(yield* Effect.option(fs.stat(file)))
  if (info === undefined || info.type !== "File") return undefined
  const text = Option.getOrUndefined(yield* Effect.option(readTextFile(file, maxBytes)))
  const stamp = `${info.size} ${Option.getOrUndefined(info.mtime)?.getTime()}`
  return { hash: text === undefined ? stamp : textHash(text), text }
})

/** The scripts of a command in a folder of the project, by path. `hash` is null for one that does not exist yet. */
export const commandScripts = Effect.fn("commandScripts")(function* (
  root: string,
  argv: ReadonlyArray<string>,
  cwd: string
) {
  const path = yield* Path.Path
  const scripts = new Map<string, RunScript>()
  const open: Array<Open> = [{ named: scriptsOfCommand(argv), folders: [cwd] }]
  const add = Effect.fnUntraced(function* (file: string, isSure: boolean) {
    if (scripts.has(file) || scripts.size >= maxScripts || file === root || !isWithin(path, root, file)) return
    const script = yield* readScript(file)
    if (script === undefined && !isSure) return
    scripts.set(file, { path: file, hash: script?.hash ?? null })
    const { text } = script ?? {}
    if (text !== undefined && text.length <= maxFollowed)
      open.push({ named: scriptsInText(text), folders: [...new Set([path.dirname(file), cwd])] })
  })
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { folders, named } = next
    const isCommand = scripts.size === 0
    for (const folder of folders) {
      for (const word of named.files) {
        const real = Option.getOrUndefined(yield* Effect.option(canonicalPath(folder, word)))
        if (real !== undefined) yield* add(real.path, isCommand && looksLikePath(word))
      }
      for (const file of yield* definitionsFrom(root, folder, named.definitions)) yield* add(file, true)
    }
  }
  return [...scripts.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
})
