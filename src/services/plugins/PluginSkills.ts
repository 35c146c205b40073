/**
 * Finds the skills folder of a plugin. The user trusts the skills together with the plugin, so the folder must be part
 * of the trusted content.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { fileURLToPath } from "node:url"
import { isFolder } from "../files/FileLook.ts"
import { type FoundPlugin, isOwnFile } from "./PluginFinder.ts"

const pathOf = (skills: unknown): string | undefined => {
  const url = skills instanceof URL ? skills.href : skills
  if (typeof url !== "string" || !url.startsWith("file:")) return undefined
  return Result.getOrUndefined(Result.try(() => fileURLToPath(url)))
}

/**
 * The real path of a plugin's skills folder. On failure, the reason as the end of a sentence. If a script passes the
 * plugin as a value, `plugin` is undefined, and the skills may lie anywhere.
 */
export const skillsFolderOf = Effect.fnUntraced(function* (
  skills: unknown,
  plugin: FoundPlugin | undefined
): Effect.fn.Return<Result.Result<string, string>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const written = pathOf(skills)
  if (written === undefined) {
    return Result.fail('its "skills" are no file URL. Write: skills: new URL("./skills/", import.meta.url)')
  }
  const folder = yield* Effect.orElseSucceed(fs.realPath(written), () => written)
  if (!(yield* isFolder(folder))) return Result.fail(`its skills are left out: there is no folder ${folder}`)
  if (plugin === undefined || plugin.entry.scope === "given") return Result.succeed(folder)
  if (plugin.folder !== undefined && isOwnFile(path, plugin, folder)) return Result.succeed(folder)
  return Result.fail(
    `its skills are left out: ${folder} is not a part of ${plugin.folder ?? "a package"}, so nobody was asked about them`
  )
})
