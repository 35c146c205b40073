/**
 * What the name of a model says: `embedded`, `openai:NAME` for a server that speaks the API of OpenAI, and everything
 * else for the Ollama server.
 */

export type ModelProvider = "embedded" | "ollama" | "openai"

const openAiPrefix = "openai:"

export const providerOf = (model: string): ModelProvider =>
  model === "embedded" ? "embedded" : model.startsWith(openAiPrefix) ? "openai" : "ollama"

/** The name by which the server knows the model. */
export const nameOnServer = (model: string): string =>
  providerOf(model) === "openai" ? model.slice(openAiPrefix.length) : model

/**
 * The model that a skill or a stage of a run chooses instead of that of the run, if the same server has it. The embedded model
 * answers for all of them.
 */
export const otherModel = (ofRun: string, chosen: string | undefined): string | undefined => {
  if (chosen === undefined || chosen === ofRun || ofRun === "embedded") return undefined
  return providerOf(chosen) === providerOf(ofRun) ? chosen : undefined
}
