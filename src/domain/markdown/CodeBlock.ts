/**
 * A fenced block of a document.
 */
import * as Schema from "effect/Schema"

/** A fenced block. `language` is the info string, often empty. */
export const CodeBlock = Schema.Struct({ language: Schema.String, text: Schema.String })
export type CodeBlock = typeof CodeBlock.Type
