/**
 * What the host knows when a run starts. It is injected into every prompt and never read back from an answer.
 */
import * as Schema from "effect/Schema"

/** The file the person is looking at; `text` holds its first lines. */
export const CurrentFile = Schema.Struct({
  path: Schema.String,
  language: Schema.String,
  text: Schema.String,
  /** How many lines the file has, when `text` does not hold all of them. */
  cutFrom: Schema.optionalKey(Schema.Int)
})
export type CurrentFile = typeof CurrentFile.Type

export const Briefing = Schema.Struct({
  /** What the person asked. */
  prompt: Schema.NonEmptyString,
  /** Raw markdown lines: date, operating system, shell, workspace; only what is known. */
  environment: Schema.String,
  /** Markdown, empty when the project has none. */
  projectDescription: Schema.String,
  currentFile: Schema.optionalKey(CurrentFile),
  openFiles: Schema.Array(Schema.String),
  /** The user part of the filled creation prompt; anchors of references resolve in it. */
  requestDocument: Schema.String,
  /** What the person should know about it; no model sees it. */
  notes: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Briefing = typeof Briefing.Type
