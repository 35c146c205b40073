/**
 * The text of messages of effect/ai, as every server takes it.
 */
import type * as Prompt from "effect/ai/Prompt"

/** The text parts of a message, with the separator between them. */
export const textOf = (parts: ReadonlyArray<{ readonly type: string }>, separator: string): string =>
  parts.flatMap((part) => ("text" in part && part.type === "text" ? [String(part.text)] : [])).join(separator)

/** The result of a tool as the model sees it. */
export const toolResultText = (part: Prompt.ToolResultPart): string => {
  const shown = part.modelOutput === undefined ? part.result : textOf(part.modelOutput, "\n\n")
  return typeof shown === "string" ? shown : (JSON.stringify(shown) ?? "")
}
