/**
 * Finds the package or file of a plugin. Also computes the hash of the plugin's code, because a permission for the
 * plugin holds only for this hash.
 */
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import { createHash } from "node:crypto"
import { textNestedTooDeep } from "../../domain/text/Json.ts"
import { isPackageName, type PluginEntry } from "../../domain/configuration/Configuration.ts"
import { packageRoot } from "../files/PackageFolder.ts"
import { isThere } from "../files/FileLook.ts"
import { readBoundedFile } from "../files/GivenFile.ts"
import { PluginProblem } from "../tools/PluginProblem.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"

/** The fields of a package.json that are needed here. */
export const PackageManifest = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String),
  main: Schema.optionalKey(Schema.String),
  exports: Schema.optionalKey(Schema.Json)
})
export type PackageManifest = typeof PackageManifest.Type

/** The conditions under which Node resolves an `import`. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "node-addons", "default"])

const isRecord = (value: Schema.Json | undefined): value is Readonly<Record<string, Schema.Json>> =>
  Predicate.isObject(value)

/** The first target whose conditions all hold, as Node would choose it. Null means that the package exports nothing. */
const targetOf = (exported: Schema.Json | undefined): string | null | undefined => {
  if (typeof exported === "string" || exported === null) return exported
  if (Array.isArray(exported)) return exported.map(targetOf).find((target) => typeof target === "string")
  if (!isRecord(exported)) return undefined
  return Object.entries(exported)
    .filter(([condition]) => conditions.has(condition))
    .map(([, target]) => targetOf(target))
    .find((target) => target !== undefined)
}

/**
 * The possible entry files of a package, relative to it. The first that exists is used. Empty if `exports` exports
 * nothing.
 */
export const entryCandidates = ({ exports, main }: PackageManifest): ReadonlyArray<string> => {
  if (exports === undefined || exports === null)
    return [...(main === undefined ? [] : [main, `${main}.js`, `${main}/index.js`]), "index.js"]
  const hasSubpaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  const target = targetOf(hasSubpaths ? exports["."] : exports)
  return typeof target === "string" ? [target] : []
}

/** A plugin that exists. All paths are real. */
export interface FoundPlugin {
  readonly entry: PluginEntry
  /** The module to import. */
  readonly file: string
  /** The folder of the package. Absent for a single file. */
  readonly folder?: string
  readonly version?: string
}

const fileEndings: ReadonlySet<string> = new Set([".ts", ".js", ".mjs"])

const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(PackageManifest))

const notFound = ({ text: plugin }: PluginEntry, tried: ReadonlyArray<string>, help = ""): PluginProblem =>
  new PluginProblem({
    plugin,
    code: "NotFound",
    detail: `it was not found. Looked for ${tried.join(", ")}.${help}`
  })

const unusable = ({ text: plugin }: PluginEntry, detail: string): PluginProblem =>
  new PluginProblem({ plugin, code: "NotAPlugin", detail: `${detail}.` })

const ancestors = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  return above === folder ? [folder] : [folder, ...ancestors(path, above)]
}

/** Folders in a package that do not belong to its own content. */
export const foreignFolders: ReadonlySet<string> = new Set(["node_modules", ".git"])

/** True for a file of the plugin itself. The caller must have resolved all links in both paths. */
export const isOwnFile = (path: Path.Path, plugin: Pick<FoundPlugin, "file" | "folder">, other: string): boolean => {
  if (plugin.folder === undefined) return other === plugin.file
  const relative = path.relative(plugin.folder, other)
  const parts = relative.split(path.sep)
  return parts[0] !== ".." && !path.isAbsolute(relative) && !parts.some((part) => foreignFolders.has(part))
}

const findInFolder = Effect.fnUntraced(function* (entry: PluginEntry, location: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* Effect.orElseSucceed(fs.realPath(location), () => location)
  const text = yield* Effect.mapError(readBoundedFile(path.join(folder, "package.json")), ({ message }) =>
    unusable(entry, message.replace(/\.$/, ""))
  )
  const manifest = textNestedTooDeep(text) ? Option.none() : readManifest(text)
  if (Option.isNone(manifest)) return yield* unusable(entry, `${path.join(folder, "package.json")} is not well formed`)
  const candidates = entryCandidates(manifest.value)
  for (const candidate of candidates) {
    const file = yield* Effect.option(fs.realPath(path.join(folder, candidate)))
    if (Option.isNone(file) || (yield* Effect.orDie(fs.stat(file.value))).type !== "File") continue
    if (!isOwnFile(path, { folder, file: file.value }, file.value)) {
      return yield* unusable(entry, `its entry ${candidate} is not a file of the package`)
    }
    const { version } = manifest.value
    return { entry, folder, file: file.value, ...(version === undefined ? {} : { version }) }
  }
  const [first] = candidates
  return yield* unusable(
    entry,
    first === undefined
      ? `the "exports" of ${path.join(folder, "package.json")} offer nothing to import`
      : `the entry that ${path.join(folder, "package.json")} names does not exist: ${first}`
  )
})

/**
 * Finds the package of an entry. Searches the node_modules folders above the entry first, then the node_modules folders
 * around this program, where global packages are.
 */
const findPackage = Effect.fnUntraced(function* (entry: PluginEntry) {
  const path = yield* Path.Path
  const roots = [...ancestors(path, entry.folder), ...ancestors(path, packageRoot)]
    .filter((folder) => path.basename(folder) !== "node_modules")
    .map((folder) => path.join(folder, "node_modules"))
  const tried = [...new Set(roots)]
  for (const root of tried) {
    const folder = path.join(root, entry.text)
    if (yield* isThere(folder)) return yield* findInFolder(entry, folder)
  }
  return yield* notFound(entry, tried, ` Install it: npm install ${entry.text}`)
})

const findLocal = Effect.fnUntraced(function* (entry: PluginEntry) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const location = path.resolve(entry.folder, entry.text)
  const info = yield* Effect.option(fs.stat(location))
  if (Option.isNone(info)) return yield* notFound(entry, [location])
  if (info.value.type === "Directory") return yield* findInFolder(entry, location)
  const isModule = info.value.type === "File" && fileEndings.has(path.extname(location))
  if (!isModule) {
    return yield* unusable(entry, `${location} is not a file that ends in ${[...fileEndings].join(", ")}`)
  }
  return { entry, file: yield* Effect.orElseSucceed(fs.realPath(location), () => location) }
})

/** Finds a plugin. Fails with `NotFound` or `NotAPlugin`. */
export const findPlugin = Effect.fn("findPlugin")(
  (entry: PluginEntry): Effect.Effect<FoundPlugin, PluginProblem, FileSystem.FileSystem | Path.Path> =>
    isPackageName(entry.text) ? findPackage(entry) : findLocal(entry)
)

/** Says why the content of a plugin cannot be hashed. `message` is the end of a sentence. */
export class HashFailure extends Schema.TaggedError<HashFailure>()("HashFailure", { message: Schema.String }) {}

const maxFiles = 2000
const maxBytes = 33_554_432

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/**
 * The entries of a folder for the hash. A link is hashed by the path of its target, because nothing is loaded through a
 * link.
 */
const readContents = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const contents: Array<{ readonly path: string; readonly hash: string }> = []
  const open = [folder]
  let bytes = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { name, type } of yield* fs.readDirectoryEntries(next)) {
      if (foreignFolders.has(name)) continue
      const file = path.join(next, name)
      if (type === "Directory") {
        open.push(file)
        continue
      }
      if (type === "File") bytes += Number((yield* fs.stat(file)).size)
      if (contents.length === maxFiles || bytes > maxBytes) {
        const message = `${folder} has more than ${maxFiles} files or ${maxBytes / 1_048_576} MiB without its node_modules`
        return yield* new HashFailure({ message })
      }
      const hash =
        type === "File"
          ? sha256(yield* fs.readFile(file))
          : `${type} ${type === "SymbolicLink" ? yield* fs.readLink(file) : ""}`
      contents.push({ path: path.relative(folder, file).split(path.sep).join("/"), hash })
    }
  }
  return contents.toSorted((a, b) => compareCodePoints(a.path, b.path))
})

/**
 * The SHA-256, in hex, of the plugin's file, or of its package without dependencies. Fails if the plugin is too large
 * or unreadable.
 */
export const pluginHash = Effect.fn("pluginHash")(
  function* ({ file, folder }: FoundPlugin) {
    if (folder !== undefined) return sha256(JSON.stringify(yield* readContents(folder)))
    const fs = yield* FileSystem.FileSystem
    if ((yield* fs.stat(file)).size > BigInt(maxBytes)) {
      return yield* new HashFailure({ message: `${file} has more than ${maxBytes / 1_048_576} MiB` })
    }
    return sha256(yield* fs.readFile(file))
  },
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new HashFailure({ message })))
)
