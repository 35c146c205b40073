/**
 * Lists the files of a project: what git would list, without ever following a link.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { fileFailure } from "./FileFailure.ts"
import { enterFolder, isIgnored, type RuleChain, rulesAbove } from "./GitIgnore.ts"

/** The most files that are listed. */
export const maxTreeEntries = 100_000

const alwaysSkipped: ReadonlySet<string> = new Set([".git", "node_modules"])
const foldersAtOnce = 16

/** A folder still to be listed, with the rules that hold around it. */
interface Folder {
  readonly path: string
  readonly chain: RuleChain
}

/** What is in a folder and not ignored: files and links by absolute path, and the folders below. */
const listFolder = Effect.fnUntraced(function* (folder: Folder) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* fs.readDirectoryEntries(folder.path)
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.type === "File")
  const chain = hasRules ? yield* enterFolder(folder.chain, folder.path) : folder.chain
  const files: Array<string> = []
  const folders: Array<Folder> = []
  for (const entry of entries) {
    const absolute = path.join(folder.path, entry.name)
    const isFolder = entry.type === "Directory"
    if (alwaysSkipped.has(entry.name) || isIgnored(path, chain, absolute, isFolder)) continue
    if (isFolder) folders.push({ path: absolute, chain })
    else if (entry.type === "File" || entry.type === "SymbolicLink") files.push(absolute)
  }
  return { files, folders }
})

/** A folder that may not be read, or that is gone meanwhile, counts as empty. */
const listIfReadable = (folder: Folder) =>
  Effect.catchTag(listFolder(folder), "PlatformError", () =>
    Effect.succeed<Effect.Success<ReturnType<typeof listFolder>>>({ files: [], folders: [] })
  )

/**
 * Paths of all files relative to `root`, with `/` between their parts, sorted by code point. Links are listed and not
 * followed; pipes, sockets and devices are left out, as are `.git` and `node_modules`. Fails with `output_limit` when
 * there are more than `maxEntries` files or folders.
 */
export const listTree = Effect.fn("listTree")(function* (root: string, maxEntries: number) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  yield* fs.access(root, { readable: true }).pipe(Effect.mapError(fileFailure("list", root)))
  const files: Array<string> = []
  let folders: ReadonlyArray<Folder> = [{ path: root, chain: yield* rulesAbove(root) }]
  let seen = 0
  while (folders.length > 0) {
    const batch = folders.slice(0, foldersAtOnce)
    const listings = yield* Effect.forEach(batch, listIfReadable, { concurrency: foldersAtOnce })
    const found = listings.flatMap((listing) => listing.folders)
    for (const listing of listings) files.push(...listing.files)
    seen += found.length
    if (files.length + seen > maxEntries) {
      const message = `${root} holds more than ${maxEntries} files. Ignore generated files in .gitignore, or choose a smaller project folder.`
      return yield* new ToolFailure({ type: "output_limit", message })
    }
    folders = [...found, ...folders.slice(foldersAtOnce)]
  }
  return files.map((file) => path.relative(root, file).split(path.sep).join("/")).sort(compareCodePoints)
})
