/**
 * The providers of models that are built in. One more needs its own folder and a line here.
 */
import { embedded } from "./embedded/EmbeddedModel.ts"
import { ollama } from "./ollama/OllamaServer.ts"
import { openAi } from "../../plugins/openai/OpenAiServer.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { isCloudModel } from "../../domain/skills/Skill.ts"
import { owns, type Provider } from "./Provider.ts"

/** The last one has every model that none before it has. */
export const builtInProviders: ReadonlyArray<Provider> = [embedded, openAi, ollama]

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
