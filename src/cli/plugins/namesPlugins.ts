/**
 * Finds out whether the user has plugins, by a text search in the configuration. Parsing the configuration would take
 * longer than printing help, and most users have no plugins.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { userFolders } from "../../services/configuration/UserFolders.ts"

/** True if the configuration names a plugin, or might name one. */
export const namesPlugins = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { settings } = yield* userFolders(path.resolve())
  const text = yield* Effect.orElseSucceed(fs.readFileString(path.join(settings, "config.json")), () => "")
  return text.includes('"plugins"')
})
