/**
 * References: markdown links in a task that the program resolves to content. The href determines the kind.
 * services/references/References decides whether the target exists.
 */
import * as Schema from "effect/Schema"
import { LineRange } from "../text/LineRange.ts"

const common = {
  /** The label of the link. */
  title: Schema.String,
  /** The href as in the document. */
  href: Schema.String,
  target: Schema.String
}

const referenceOf = <const Kind extends string>(kind: Kind) => Schema.Struct({ kind: Schema.tag(kind), ...common })

/** A link to a heading of the request document; `target` is the slug of the heading. */
const AnchorReference = referenceOf("anchor")
export type AnchorReference = typeof AnchorReference.Type

/** A link to the result of a task. `target` is the slug of the task's name. */
export const ResultReference = referenceOf("task_result")
export type ResultReference = typeof ResultReference.Type

export const resultReference = (title: string, slug: string): ResultReference => ({
  kind: "task_result",
  title,
  href: `#${slug}-results`,
  target: slug
})

/**
 * A link to a file. `target` is the path without the fragment. `heading` or `lines` limit the reference to a part of
 * the file.
 */
export const FileReference = Schema.Struct({
  kind: Schema.tag("file"),
  ...common,
  heading: Schema.optionalKey(Schema.String),
  lines: Schema.optionalKey(LineRange)
})
export type FileReference = typeof FileReference.Type

/** A link to a page; `target` is the canonical http(s) URL. */
const UrlReference = referenceOf("url")
export type UrlReference = typeof UrlReference.Type

/**
 * A link of no accepted kind, which is always an issue. It stays among the references, because no link may get lost.
 */
const UnknownReference = referenceOf("unknown")
export type UnknownReference = typeof UnknownReference.Type

export const Reference = Schema.Union([AnchorReference, ResultReference, FileReference, UrlReference, UnknownReference])
export type Reference = typeof Reference.Type
