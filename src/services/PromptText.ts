/**
 * The text of all that is sent to a model, for models without a tokenizer to count.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"

type Part = Exclude<Prompt.Message["content"], string>[number]

const partText = (part: Part): string => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "tool-call":
      return `${part.name}${JSON.stringify(part.params)}`
    case "tool-result":
      return JSON.stringify(part.result)
    default:
      return ""
  }
}

/** Tools and messages, one after another. */
export const promptText = ({ prompt, tools }: Pick<LanguageModel.ProviderOptions, "prompt" | "tools">): string =>
  [
    ...tools.map((tool) => `${tool.name}${Tool.getDescription(tool)}${JSON.stringify(Tool.getJsonSchema(tool))}`),
    ...prompt.content.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(partText)))
  ].join("\n")
