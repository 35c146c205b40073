/**
 * The block shapes that documents and prompts are built from: raw markdown, fenced text, a file. A fence is longer than
 * any run of backticks or tildes inside it, so nothing quoted can close it.
 */
import * as Schema from "effect/Schema"

/** A fenced block of a document. `language` is the info string, often empty. */
export const CodeBlock = Schema.Struct({ language: Schema.String, text: Schema.String })
export type CodeBlock = typeof CodeBlock.Type

/** A fence that cannot occur in the text. */
export const fenceFor = (text: string): string => {
  const runs = text.match(/`{3,}|~{3,}/g) ?? []
  return "`".repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1)
}

/** Text in a fence with a type such as `text` or `json`. */
export const fenced = (text: string, type: string): string => {
  const fence = fenceFor(text)
  return `${fence}${type}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`
}

const headed = (heading: string, body: string): string => `${heading}\n\n${body}\n\n`

/** `## heading` and markdown; nothing when the body is empty. `heading` comes with its hashes, if it wants any. */
export const rawBlock = (heading: string, body: string): string =>
  body.trim() === "" ? "" : headed(heading, body.trim())

/** What to do now, at the end of a message. */
export const nowBlock = (text: string): string => rawBlock("## Now", text)

/** The message without what was to be done then; a file that is shown in it may have such a heading too. */
export const withoutNow = (text: string): string => {
  const now = "\n## Now\n"
  const at = text.lastIndexOf(now)
  return at < 0 || /^(?:#|```|~~~)/m.test(text.slice(at + now.length)) ? text : text.slice(0, at).trimEnd()
}

/** `## heading` and a fence with a type; nothing when the body is empty. */
export const fencedBlock = (heading: string, body: string, type: string): string =>
  body === "" ? "" : headed(heading, fenced(body, type))

/** `## heading` and a fence with the file's language; a file that is empty still gets its block. */
export const fileBlock = (heading: string, file: { readonly text: string; readonly language: string }): string =>
  headed(heading, fenced(file.text, file.language))

/** A code span that holds any text of one line. */
export const codeSpan = (text: string): string => {
  const marks = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1)
  return /^`|`$/.test(text) ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`
}
