/**
 * The blocks of documents and prompts: raw markdown, fenced text, a file. A fence is longer than any run of its signs
 * in the text, so that no quoted text closes it.
 */
import * as Schema from "effect/Schema"

/** A fenced block of a document. `language` is the info string, often empty. */
export const CodeBlock = Schema.Struct({ language: Schema.String, text: Schema.String })
export type CodeBlock = typeof CodeBlock.Type

/** A fence that is longer than any fence in the text. */
export const fenceFor = (text: string): string => {
  const runs = text.match(/`{3,}|~{3,}/g) ?? []
  return "`".repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1)
}

/** Puts a text into a fence. `type` is the info string, such as `text` or `json`. */
export const fenced = (text: string, type: string): string => {
  const fence = fenceFor(text)
  return `${fence}${type}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`
}

const headed = (heading: string, body: string): string => `${heading}\n\n${body}\n\n`

/** A heading with markdown below it; empty if the body is empty. `heading` includes its hashes. */
export const rawBlock = (heading: string, body: string): string =>
  body.trim() === "" ? "" : headed(heading, body.trim())

export const nowBlock = (text: string): string => rawBlock("## Now", text)

/**
 * The message without its instruction. Only the last heading `## Now` counts, because a shown file may contain another.
 */
export const withoutNow = (text: string): string => {
  const now = "\n## Now\n"
  const at = text.lastIndexOf(now)
  return at < 0 || /^(?:#|```|~~~)/m.test(text.slice(at + now.length)) ? text : text.slice(0, at).trimEnd()
}

/** A heading with fenced text below it; empty if the body is empty. */
export const fencedBlock = (heading: string, body: string, type: string): string =>
  body === "" ? "" : headed(heading, fenced(body, type))

/** A heading with a file in a fence, which names the language. An empty file gets a block too. */
export const fileBlock = (heading: string, file: { readonly text: string; readonly language: string }): string =>
  headed(heading, fenced(file.text, file.language))

/** A code span for a line, with as many backticks as it needs. */
export const codeSpan = (text: string): string => {
  const marks = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1)
  return /^`|`$/.test(text) ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`
}
