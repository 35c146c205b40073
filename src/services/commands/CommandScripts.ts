/**
 * Finds the project files that a command runs: its scripts, the scripts that these name, and links to them. Permission
 * or trust for a command ends when one of these files changes.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { looksLikePath, type NamedScripts, scriptsInText, scriptsOfCommand } from "../../domain/commands/CommandText.ts"
import type { RunScript } from "../../domain/tools/Access.ts"
import { isWithin, pathFrom } from "../files/CanonicalPath.ts"
import { entriesIn, infoAt, linkAt } from "../files/FileLook.ts"
import { textHash } from "../files/Hash.ts"
import { readTextFile } from "../files/TextFile.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"

/** The maximum number of scripts that are followed for one command. */
const maxScripts = 200
/** The longest chain of links that is followed. A longer one counts as a cycle. */
const maxLinks = 40
/** How deep workspace packages are searched, and how many folders on each level. */
const deepestPackage = 5
const mostPackageFolders = 500
const maxBytes = 4 * 1_048_576
/** The maximum size, in bytes, of a text that is searched for scripts. Nobody writes larger ones by hand. */
const maxFollowed = 262_144

/** Scripts whose files must still be found. Their relative paths may start at any of `folders`. */
interface Open {
  readonly named: NamedScripts
  readonly folders: ReadonlyArray<string>
}

/** The files with these names in a project folder and above it. Any of them can define a command. */
const definitionsFrom = Effect.fnUntraced(function* (root: string, folder: string, names: ReadonlyArray<RegExp>) {
  const files: Array<string> = []
  for (let current = folder; names.length > 0 && isWithin(root, current); current = path.dirname(current)) {
    const entries = (yield* entriesIn(current)).filter(({ name }) => names.some((pattern) => pattern.test(name)))
    files.push(...entries.map(({ name }) => path.join(current, name)))
    if (current === root) break
  }
  return files
})

/** The hash and text of a file as a command sees it. Undefined if the path is no file. */
export const readScript = Effect.fnUntraced(function* (file: string) {
  const proposed = (yield* CurrentCopy)?.get(file)
  if (proposed !== undefined) {
    return proposed.text === null ? undefined : { hash: textHash(proposed.text), text: proposed.text }
  }
  const info = yield* infoAt(file)
  if (info?.type !== "File") return undefined
  const text = yield* Effect.orElseSucceed(readTextFile(file, maxBytes), () => undefined)
  const stamp = `${info.size} ${info.mtime}`
  return { hash: text === undefined ? stamp : textHash(text), text }
})

/** The links in the project on the path to a file. If one changes, the command runs another file. */
const linksOnTheWay = Effect.fnUntraced(function* (root: string, file: string) {
  const links: Array<RunScript> = []
  let rest = path.relative(root, file).split(path.sep)
  let at = root
  while (rest.length > 0 && links.length < maxLinks) {
    const [name = "", ...others] = rest
    const next = path.resolve(at, name)
    if (!isWithin(root, next)) break
    const target = yield* linkAt(next)
    if (target === undefined) at = next
    else links.push({ path: next, hash: textHash(target) })
    rest = target === undefined ? others : [...path.relative(root, path.resolve(at, target)).split(path.sep), ...others]
    if (target !== undefined) at = root
  }
  return links
})

/** The package folders of a workspace: folders near the root with a manifest, except installed and hidden packages. */
const packageFolders = Effect.fnUntraced(function* (root: string) {
  const folders: Array<string> = []
  let level: ReadonlyArray<string> = [root]
  for (let depth = 0; depth < deepestPackage && level.length > 0; depth++) {
    const next: Array<string> = []
    for (const folder of level.slice(0, mostPackageFolders)) {
      const entries = yield* entriesIn(folder)
      if (entries.some(({ name }) => name === "package.json")) folders.push(folder)
      const inner = entries.filter(
        ({ name, type }) => type === "Directory" && name !== "node_modules" && !name.startsWith(".")
      )
      next.push(...inner.map(({ name }) => path.join(folder, name)))
    }
    level = next
  }
  return folders
})

/**
 * The scripts that a command runs, by path, and the links to them. `hash` is null for a script that does not exist yet.
 */
export const commandScripts = Effect.fn("commandScripts")(function* (
  root: string,
  argv: ReadonlyArray<string>,
  cwd: string
) {
  const scripts = new Map<string, RunScript>()
  const open: Array<Open> = [{ named: scriptsOfCommand(argv), folders: [cwd] }]
  const add = Effect.fnUntraced(function* (folder: string, word: string, isSure: boolean) {
    const file = yield* pathFrom(folder, word)
    if (file === undefined) return
    const isKnown = scripts.has(file) || scripts.size >= maxScripts || file === root || !isWithin(root, file)
    const script = isKnown ? undefined : yield* readScript(file)
    const isScript = scripts.has(file) || script !== undefined || (isSure && !isKnown)
    if (isScript) {
      for (const link of yield* linksOnTheWay(root, path.resolve(folder, word))) scripts.set(link.path, link)
    }
    if (!isScript || isKnown) return
    scripts.set(file, { path: file, hash: script?.hash ?? null })
    const { text } = script ?? {}
    if (text !== undefined && text.length <= maxFollowed)
      open.push({ named: scriptsInText(text), folders: [...new Set([path.dirname(file), cwd])] })
  })
  let isCommand = true
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { folders, named } = next
    const looked: Array<string> = named.inPackages ? [...(yield* packageFolders(root))] : []
    for (const folder of folders) {
      const given = yield* Effect.forEach(named.folders, (word) => pathFrom(folder, word))
      const inner = given.filter((one) => one !== undefined).filter((one) => isWithin(root, one))
      looked.push(folder, ...inner)
      for (const start of [folder, ...inner]) {
        for (const word of named.files) yield* add(start, word, isCommand && start === folder && looksLikePath(word))
      }
    }
    for (const folder of new Set(looked)) {
      for (const file of yield* definitionsFrom(root, folder, named.definitions)) yield* add(root, file, true)
    }
    isCommand = false
  }
  return [...scripts.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
})
