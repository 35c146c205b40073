/**
 * Whether the user has plugins of their own, by the text of their configuration: to read it as a configuration takes longer than the help
 * of the program, which most users ask for without a plugin.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { userFolders } from "../../services/configuration/UserFolders.ts"

/** False only when the configuration certainly names no plugin. */
export const namesPlugins = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { settings } = yield* userFolders(path.resolve())
  const text = yield* Effect.orElseSucceed(fs.readFileString(path.join(settings, "config.json")), () => "")
  return text.includes('"plugins"')
})
