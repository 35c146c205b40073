/** The built-in providers of models, from the core and from features. */
import { embedded } from "../services/providers/embedded/EmbeddedModel.ts"
import { ollama } from "../services/providers/ollama/OllamaServer.ts"
import { features } from "./features.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import { owns, type Provider } from "../services/providers/Provider.ts"

/** The built-in providers. The last provider serves every model that no other provider serves. */
export const builtInProviders: ReadonlyArray<Provider> = [
  embedded,
  ...features.flatMap(({ providers = [] }) => (typeof providers === "function" ? [] : providers)),
  ollama
]

/** The provider of every model without a prefix. */
export const defaultProvider: Provider = ollama

/**
 * The provider that lists models if no model is chosen: the only provider with a configured address, or else the
 * default provider.
 */
export const providerWithoutModel = (configuration: Configuration): Provider => {
  const isSet = ({ server }: Provider) => Object.keys(server?.save("") ?? {}).some((key) => key in configuration)
  const [set, ...others] = builtInProviders.filter(isSet)
  return set === undefined || others.length > 0 ? defaultProvider : set
}

export const providerOf = (model: string, providers: ReadonlyArray<Provider> = builtInProviders): Provider =>
  providers.find((provider) => owns(provider, model)) ?? defaultProvider

/**
 * True if prompts for this model may leave the machine: for a cloud model, and for any server but the default
 * provider's.
 */
export const leavesMachine = (model: string): boolean => {
  const provider = providerOf(model.trim())
  return isCloudModel(model) || (provider !== defaultProvider && provider.server !== undefined)
}

/** The name of a model's provider in traces. */
export const traceName = (model: string, providers?: ReadonlyArray<Provider>): string => {
  const provider = providerOf(model, providers)
  return provider.traceName ?? provider.id
}
