/**
 * Creates the model providers of a plugin from its configuration and its secrets. The key of the server may be one of
 * the secrets.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { causeText } from "../tools/ForeignCode.ts"
import * as Cause from "effect/Cause"
import type { Plugin } from "../tools/Plugin.ts"
import { ProviderShape, withOrigin } from "../tools/PluginLoader.ts"
import { notAPlugin, PluginProblem } from "../tools/PluginProblem.ts"
import { readPluginConfiguration, secretOf } from "../tools/PluginSettings.ts"
import type { Provider } from "../providers/Provider.ts"

const areProviders = Schema.is(Schema.Array(ProviderShape))

/** Returns what the plugin provides. The result is unchecked, and may be any value. */
const makeProviders = (plugin: Plugin, config: unknown): Result.Result<unknown, PluginProblem> => {
  const { name, providers = [] } = plugin
  if (typeof providers !== "function") return Result.succeed(providers)
  return Result.try({
    try: (): unknown => providers({ config, secret: secretOf(plugin) }),
    catch: (thrown) => {
      const detail = `its providers cannot be made: ${causeText(Cause.fail(thrown))}`
      return new PluginProblem({ plugin: name, code: "LoadFailed", detail })
    }
  })
}

/** Adds the key of the server to the provider if the plugin declares the key as a secret. */
const withKey = (provider: Provider, { secretValues }: Plugin): Provider => {
  const value = secretValues?.get(provider.server?.keyVariable ?? "")
  return value !== undefined && Result.isSuccess(value) ? { ...provider, key: Redacted.make(value.success) } : provider
}

/** The providers of a plugin. Fails with the reason if they cannot be used. */
export const providersOf = (plugin: Plugin): Result.Result<ReadonlyArray<Provider>, PluginProblem> => {
  const { name } = plugin
  const config = Result.mapError(
    readPluginConfiguration(plugin),
    (detail) => new PluginProblem({ plugin: name, code: "Configuration", detail })
  )
  const made = Result.flatMap(config, (value) => makeProviders(plugin, value))
  const read = Result.flatMap(made, (providers) =>
    areProviders(providers)
      ? Result.succeed((providers as unknown as ReadonlyArray<Provider>).map((provider) => withKey(provider, plugin)))
      : Result.fail(notAPlugin(name, 'its "providers" are no list of providers.'))
  )
  return Result.mapError(read, (problem) => withOrigin(plugin, problem))
}
