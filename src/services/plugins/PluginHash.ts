/**
 * The hash that pins the content that a person trusts. For a single file it is the SHA-256 of the file; for a package it
 * covers the paths and contents of all its own files, but not its dependencies in node_modules.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { type FoundPlugin, foreignFolders } from "./PluginFinder.ts"

/** The content cannot be hashed; `message` is the end of a sentence. */
class HashFailure extends Schema.TaggedError<HashFailure>()("HashFailure", { message: Schema.String }) {}

const maxFiles = 2000
const maxBytes = 33_554_432

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** One entry of a folder. A link is hashed by its target path, since nothing is loaded through it. */
interface Content {
  readonly path: string
  readonly hash: string
}

const readContents = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const contents: Array<Content> = []
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

/** The SHA-256 of the plugin in hex. Fails when it is too large or cannot be read. */
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
