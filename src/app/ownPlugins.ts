/**
 * The plugins of the user: those that flags and the user's own configuration name, and values of a script. What they bring
 * beside tools counts: providers, commands, listeners, an approver. A project can only add tools.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { findPlugin } from "../services/plugins/PluginFinder.ts"
import { requireOwnPlugin } from "../services/plugins/OwnPlugin.ts"
import { importPlugin } from "../services/plugins/PluginPackages.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import type { Setup } from "./setup.ts"

/** Loads them. What cannot be loaded is left out here, and reported when the tools of the plugins are loaded. */
export const ownPlugins = Effect.fn("ownPlugins")(function* (
  { extensions }: Pick<Setup, "extensions">,
  values: ReadonlyArray<Plugin> = []
) {
  const entries = extensions.plugins.filter(({ scope }) => scope !== "project")
  const loaded = yield* Effect.forEach(entries, (entry) =>
    Effect.result(
      findPlugin(entry).pipe(
        Effect.flatMap((found) => (entry.scope === "user" ? requireOwnPlugin(found) : Effect.succeed(found))),
        Effect.flatMap(importPlugin)
      )
    )
  )
  return [...values, ...loaded.filter(Result.isSuccess).map(({ success }) => success)]
})
