/**
 * Finds what an entry of the configuration names: a package in a node_modules folder, a folder with a package.json, or
 * one file. Nothing is run.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { textNestedTooDeep } from "../../domain/text/Json.ts"
import { entryCandidates, PackageManifest } from "../../domain/plugins/PackageManifest.ts"
import { isPackageName, type PluginEntry } from "../../domain/plugins/PluginEntry.ts"
import { packageRoot } from "../files/PackageFolder.ts"
import { readBoundedFile } from "../files/GivenFile.ts"
import { PluginProblem, type PluginProblemReason } from "./PluginProblem.ts"

/** A plugin that exists. All paths are real. */
export interface FoundPlugin {
  readonly entry: PluginEntry
  /** The module to import. */
  readonly file: string
  /** The folder of the package; absent for a single file. */
  readonly folder?: string
  readonly version?: string
}

const fileEndings: ReadonlySet<string> = new Set([".ts", ".js", ".mjs"])

const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(PackageManifest))

const problemOf = (entry: PluginEntry) => (reason: PluginProblemReason) =>
  new PluginProblem({ plugin: entry.text, reason })

/** The folder and all folders above it. */
const ancestors = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  return above === folder ? [folder] : [folder, ...ancestors(path, above)]
}

/** Folders of a package that are not its own content. */
export const foreignFolders: ReadonlySet<string> = new Set(["node_modules", ".git"])

/** True for a file of the plugin itself: the one file, or what is in its package. Both paths are real. */
export const isOwnFile = (path: Path.Path, plugin: Pick<FoundPlugin, "file" | "folder">, other: string): boolean => {
  if (plugin.folder === undefined) return other === plugin.file
  const relative = path.relative(plugin.folder, other)
  const parts = relative.split(path.sep)
  return parts[0] !== ".." && !path.isAbsolute(relative) && !parts.some((part) => foreignFolders.has(part))
}

/** The package in this folder. */
const findInFolder = Effect.fnUntraced(function* (entry: PluginEntry, location: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const problem = problemOf(entry)
  const unusable = (detail: string) => problem({ _tag: "NotAPlugin", detail })
  const folder = yield* Effect.orElseSucceed(fs.realPath(location), () => location)
  const text = yield* Effect.mapError(readBoundedFile(path.join(folder, "package.json")), ({ message }) =>
    unusable(message.replace(/\.$/, ""))
  )
  const manifest = textNestedTooDeep(text) ? Option.none() : readManifest(text)
  if (Option.isNone(manifest)) return yield* unusable(`${path.join(folder, "package.json")} is not well formed`)
  const candidates = entryCandidates(manifest.value)
  for (const candidate of candidates) {
    const file = yield* Effect.option(fs.realPath(path.join(folder, candidate)))
    if (Option.isNone(file) || (yield* Effect.orDie(fs.stat(file.value))).type !== "File") continue
    if (!isOwnFile(path, { folder, file: file.value }, file.value)) {
      return yield* unusable(`its entry ${candidate} is not a file of the package`)
    }
    const { version } = manifest.value
    const found: FoundPlugin = { entry, folder, file: file.value, ...(version === undefined ? {} : { version }) }
    return found
  }
  const [first] = candidates
  return yield* unusable(
    first === undefined
      ? `the "exports" of ${path.join(folder, "package.json")} offer nothing to import`
      : `the entry that ${path.join(folder, "package.json")} names does not exist: ${first}`
  )
})

/**
 * Looks in the node_modules folders above the entry, then in those around this program: that is where global ones are.
 */
const findPackage = Effect.fnUntraced(function* (entry: PluginEntry) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const roots = [...ancestors(path, entry.folder), ...ancestors(path, packageRoot)]
    .filter((folder) => path.basename(folder) !== "node_modules")
    .map((folder) => path.join(folder, "node_modules"))
  const tried = [...new Set(roots)]
  for (const root of tried) {
    const folder = path.join(root, entry.text)
    if (yield* Effect.orElseSucceed(fs.exists(folder), () => false)) return yield* findInFolder(entry, folder)
  }
  return yield* problemOf(entry)({ _tag: "NotFound", tried, isPackage: true })
})

const findLocal = Effect.fnUntraced(function* (entry: PluginEntry) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const location = path.resolve(entry.folder, entry.text)
  const info = yield* Effect.option(fs.stat(location))
  if (Option.isNone(info)) return yield* problemOf(entry)({ _tag: "NotFound", tried: [location], isPackage: false })
  if (info.value.type === "Directory") return yield* findInFolder(entry, location)
  const isModule = info.value.type === "File" && fileEndings.has(path.extname(location))
  if (!isModule) {
    const detail = `${location} is not a file that ends in ${[...fileEndings].join(", ")}`
    return yield* problemOf(entry)({ _tag: "NotAPlugin", detail })
  }
  const found: FoundPlugin = { entry, file: yield* Effect.orElseSucceed(fs.realPath(location), () => location) }
  return found
})

/** Finds the plugin; fails with `NotFound` or `NotAPlugin`. */
export const findPlugin = Effect.fn("findPlugin")((entry: PluginEntry) =>
  isPackageName(entry.text) ? findPackage(entry) : findLocal(entry)
)
