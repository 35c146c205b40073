/** Checks that nobody else can write the user's own plugins, because these are loaded without a question. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { otherWriter } from "../configuration/UserFolders.ts"
import { PluginProblem } from "../tools/PluginProblem.ts"
import { foreignFolders, type FoundPlugin } from "./PluginFinder.ts"

const problemOf = (plugin: string, detail: string) => new PluginProblem({ plugin, code: "NotTrusted", detail })

/** The folders and files of a package without its dependencies. Follows links. */
const contentsOf = Effect.fnUntraced(function* (plugin: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const contents = [folder]
  const seen = new Set<string>()
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const place = next
    const real = yield* Effect.orElseSucceed(fs.realPath(place), () => place)
    if (seen.has(real)) continue
    seen.add(real)
    const names = yield* Effect.mapError(fs.readDirectory(place), () =>
      problemOf(plugin, `${place} cannot be listed, so that nobody knows who else can write what is in it.`)
    )
    for (const inside of names.filter((name) => !foreignFolders.has(name)).map((name) => path.join(place, name))) {
      contents.push(inside)
      const info = yield* Effect.option(fs.stat(inside))
      if (info._tag === "Some" && info.value.type === "Directory") open.push(inside)
    }
  }
  return contents
})

const importing = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](?<specifier>\.{1,2}\/[^"']+)["']/g

/** A file, all files that it imports by path, directly or indirectly, and the folders of all these files. */
const importedBy = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = new Set([file])
  for (const importer of files) {
    const text = yield* Effect.orElseSucceed(fs.readFileString(importer), () => "")
    for (const { groups } of text.matchAll(importing)) {
      files.add(path.resolve(path.dirname(importer), groups?.["specifier"] ?? ""))
    }
  }
  return new Set([...files].flatMap((one) => [path.dirname(one), one]))
})

/** Fails if another user can write a file or folder of the plugin. */
export const requireOwnPlugin = Effect.fn("requireOwnPlugin")(function* (plugin: FoundPlugin) {
  const path = yield* Path.Path
  const { entry, file, folder } = plugin
  const places =
    folder === undefined ? yield* importedBy(file) : [path.dirname(folder), ...(yield* contentsOf(entry.text, folder))]
  for (const place of places) {
    const problem = yield* otherWriter(place)
    if (problem === undefined) continue
    const detail = `${place} is not yours alone: ${problem}. Check what is in it; then make it yours (chown), and run: chmod go-w ${place}`
    return yield* problemOf(entry.text, detail)
  }
  return plugin
})
