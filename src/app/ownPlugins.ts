/**
 * The plugins that the user names: by flags, in the own configuration, or as values of a script. Providers, commands, listeners and
 * an approver count only of these. Of a plugin that only a project names, tools and skills count.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isPackageName } from "../domain/configuration/Configuration.ts"
import { builtInOrigin } from "../domain/tools/ToolCall.ts"
import { requireOwnPlugin } from "../services/plugins/OwnPlugin.ts"
import { findPlugin } from "../services/plugins/PluginFinder.ts"
import { importPlugins } from "../services/plugins/PluginPackages.ts"
import { type Plugin, pluginApiVersion } from "../services/tools/Plugin.ts"
import { pluginShapeProblem } from "../services/tools/PluginLoader.ts"
import type { Setup } from "./setup.ts"

/** True for a plugin whose tools would be loaded, as far as its value says. */
const isUsable = (plugin: Plugin): boolean =>
  pluginShapeProblem(plugin) === undefined &&
  plugin.apiVersion === pluginApiVersion &&
  plugin.name !== builtInOrigin &&
  isPackageName(plugin.name)

/**
 * Loads them, each name once. What cannot be used is left out here, and reported when the tools of the plugins are loaded.
 */
export const ownPlugins = Effect.fn("ownPlugins")(function* (
  { extensions }: Pick<Setup, "extensions">,
  values: ReadonlyArray<Plugin> = []
) {
  const entries = extensions.plugins.filter(({ scope }) => scope !== "project")
  const loaded = yield* importPlugins(
    entries.map((entry) =>
      Effect.flatMap(findPlugin(entry), (found) =>
        entry.scope === "user" ? requireOwnPlugin(found) : Effect.succeed(found)
      )
    )
  )
  const usable = [...loaded.filter(Result.isSuccess).map(({ success }) => success), ...values].filter(isUsable)
  const firstOfName = new Map(usable.toReversed().map((plugin) => [plugin.name, plugin]))
  return usable.filter((plugin) => firstOfName.get(plugin.name) === plugin)
})
