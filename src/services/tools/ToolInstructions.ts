/**
 * Tells a model how to call tools: per tool what it does, its parameters, and a call to imitate. Called by the tool
 * registry.
 */
import { fenced } from "../../domain/markdown/PromptBlock.ts"
import type { ToolInfo } from "../../domain/tools/PreparedCall.ts"

/** Markdown: per tool one fenced JSON object with name, description, parameters and an example call. */
export const toolInstructions = (tools: ReadonlyArray<ToolInfo>): string =>
  tools
    .map(({ description, example, name, parameters }) => {
      const call = { uid: "call-1", name, arguments: example }
      return fenced(JSON.stringify({ name, description, parameters, example: call }, null, 2), "json")
    })
    .join("\n\n")
