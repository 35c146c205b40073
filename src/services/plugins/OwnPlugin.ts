/**
 * Plugins that the person's own configuration names are loaded without a question, so nobody else may be able to write them.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { otherWriter } from "../configuration/UserFolders.ts"
import { PluginProblem } from "../tools/PluginProblem.ts"
import { foreignFolders, type FoundPlugin } from "./PluginFinder.ts"

/** The folders and files of a package, without its dependencies. */
const contentsOf = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = [folder]
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { name, type } of yield* Effect.orElseSucceed(fs.readDirectoryEntries(next), () => [])) {
      if (foreignFolders.has(name)) continue
      const place = path.join(next, name)
      found.push(place)
      if (type === "Directory") open.push(place)
    }
  }
  return found
})

/** Fails when another user can write the plugin: its file, what is in its package, or the folder that holds it. */
export const requireOwnPlugin = Effect.fn("requireOwnPlugin")(function* (found: FoundPlugin) {
  const path = yield* Path.Path
  const { entry, file, folder } = found
  const own = folder === undefined ? [file] : yield* contentsOf(folder)
  for (const place of [path.dirname(folder ?? file), ...own]) {
    const problem = yield* otherWriter(place)
    if (problem === undefined) continue
    const detail = `${place} is not yours alone: ${problem}. Check what is in it; then make it yours (chown), and run: chmod go-w ${place}`
    return yield* new PluginProblem({ plugin: entry.text, code: "NotTrusted", detail })
  }
  return found
})
