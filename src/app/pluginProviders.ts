/**
 * Providers of models that plugins bring. They are needed before a run begins, since they say where its model is. Those of a
 * project count for nothing: a project cannot choose where prompts are sent.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Plugin } from "../services/tools/Plugin.ts"
import { findPlugin } from "../services/plugins/PluginFinder.ts"
import { importPlugin } from "../services/plugins/PluginImport.ts"
import { defaultProvider, providerOf } from "../services/providers/providers.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { modelNames, providerOfRun, type Setup, withProviders } from "./setup.ts"

/** True for a name that may be one of a provider that is not built in. */
const isForeign = (name: string) => /^[a-z][a-z\d-]*:/.test(name) && providerOf(name) === defaultProvider

/** The setup with the providers of plugins, when a name of a model may be one of theirs; `values` are plugins as values. */
export const withPluginProviders = Effect.fn("withPluginProviders")(function* (
  setup: Setup,
  values: ReadonlyArray<Plugin> = []
) {
  const entries = setup.plugins.filter(({ scope }) => scope !== "project")
  if (!modelNames(setup).some(isForeign) || (entries.length === 0 && values.length === 0)) return setup
  // What cannot be loaded is reported when the tools of the plugins are.
  const loaded = yield* Effect.forEach(entries, (entry) =>
    Effect.result(Effect.flatMap(findPlugin(entry), importPlugin))
  )
  const plugins = [...values, ...loaded.filter(Result.isSuccess).map(({ success }) => success)]
  const taken = new Set(setup.providers.map(({ id }) => id))
  const providers = plugins.flatMap((plugin) => plugin.providers ?? []).filter(({ id }) => !taken.has(id))
  if (providers.length === 0) return setup
  /* A plugin has the models that its name begins, and no others. */
  const found = yield* withProviders(
    setup,
    providers.map(({ owns: _owns, ...provider }) => provider)
  )
  if (found.isProjectModel !== true || setup.providers.includes(providerOfRun(found))) return found
  const what = `the model ${found.settings.model} is one of a plugin, whose server gets all prompts. Choose it yourself to use it: --model ${found.settings.model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
  return yield* new ConfigurationError({ source: `${found.project}/${projectFileName}`, problems: [{ what }] })
})
