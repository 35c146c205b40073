/**
 * Names of tasks and the slugs made from them. A task's result is the anchor `#<slug>-results`.
 */
import GithubSlugger, { slug as githubSlug } from "github-slugger"
import * as Schema from "effect/Schema"

/** One line of text without surrounding blanks whose slug is not empty. */
export const TaskName = Schema.String.check(
  Schema.isTrimmed(),
  Schema.isPattern(/^[^\n\r]+$/),
  Schema.makeFilter((name: string) => githubSlug(name) !== "" || "a name needs at least one letter or digit")
)
export type TaskName = typeof TaskName.Type

/** The GFM slug of one heading or name, without the numbering of repeated headings. */
export const slugOf = (name: string): string => githubSlug(name)

/** A slugger for one document: repeated headings get `-1`, `-2`, ... */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** `Research 2` -> `research-2-results`. */
export const resultAnchor = (name: TaskName): string => `${slugOf(name)}-results`

/** Makes a looked-up slug comparable: lower case, underscores as hyphens, repeated hyphens as one. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
