/**
 * Imports a plugin that was found and may be loaded: in a child process first, then here. Called by PluginPackages.
 */
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { causeText, runIsolated } from "./ForeignCode.ts"
import type { Plugin } from "./Plugin.ts"
import { type FoundPlugin, isOwnFile } from "./PluginFinder.ts"
import { pluginShapeProblem } from "./PluginLoader.ts"
import { importTime, probeImport } from "./PluginProbe.ts"
import { PluginProblem, type PluginProblemReason } from "./PluginProblem.ts"
import { shareModules } from "./SharedModules.ts"

/** What the module exports by default. Fails with `LoadFailed` or `NotAPlugin`. */
export const importPlugin = Effect.fn("importPlugin")(function* (found: FoundPlugin) {
  const { entry, file, version } = found
  const problem = (reason: PluginProblemReason) => new PluginProblem({ plugin: entry.text, reason })
  const failed = (detail: string) => problem({ _tag: "LoadFailed", detail })
  const path = yield* Path.Path
  const url = pathToFileURL(file).href
  const wrong = yield* probeImport(url)
  if (wrong !== undefined) return yield* failed(wrong)
  const isOwn = (other: string): boolean => isOwnFile(path, found, other)
  shareModules({ url, ...(entry.scope === "project" ? { isOwn } : {}) })
  const load = Effect.promise(() => import(url) as Promise<{ readonly default?: Plugin }>)
  const exit = yield* runIsolated(Effect.timeoutOption(load, importTime))
  if (Exit.isFailure(exit)) return yield* failed(causeText(exit.cause))
  if (Option.isNone(exit.value)) return yield* failed(`its import took longer than ${importTime}`)
  const plugin = exit.value.value.default
  if (plugin === undefined || pluginShapeProblem(plugin) !== undefined) return yield* problem({ _tag: "NotAPlugin" })
  return version === undefined ? plugin : { ...plugin, version }
})
