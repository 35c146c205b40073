/**
 * The providers of models that are in the program: those of the core, and those of features.
 */
import { embedded } from "../services/providers/embedded/EmbeddedModel.ts"
import { ollama } from "../services/providers/ollama/OllamaServer.ts"
import { features } from "./features.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import { owns, type Provider } from "../services/providers/Provider.ts"

/** The last one has every model that none before it has. */
export const builtInProviders: ReadonlyArray<Provider> = [
  embedded,
  ...features.flatMap(({ providers = [] }) => (typeof providers === "function" ? [] : providers)),
  ollama
]

/** The one that has every model whose name says no other. */
export const defaultProvider: Provider = ollama

/** The one that is asked when no model is chosen: the only one whose address somebody set, or the default one. */
export const providerWithoutModel = (configuration: Configuration): Provider => {
  const isSet = ({ server }: Provider) => Object.keys(server?.save("") ?? {}).some((key) => key in configuration)
  const [set, ...others] = builtInProviders.filter(isSet)
  return set === undefined || others.length > 0 ? defaultProvider : set
}

export const providerOf = (model: string, providers: ReadonlyArray<Provider> = builtInProviders): Provider =>
  providers.find((provider) => owns(provider, model)) ?? defaultProvider

/** True for a model whose prompts may leave the machine: one that is forwarded, and one that has a server of another kind. */
export const leavesMachine = (model: string): boolean => {
  const provider = providerOf(model.trim())
  return isCloudModel(model) || (provider !== defaultProvider && provider.server !== undefined)
}

/** What traces call the provider of a model. */
export const traceName = (model: string, providers?: ReadonlyArray<Provider>): string => {
  const provider = providerOf(model, providers)
  return provider.traceName ?? provider.id
}
