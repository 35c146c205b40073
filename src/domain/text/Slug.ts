/**
 * Slugs of headings and names, as GitHub writes them.
 */
import GithubSlugger, { slug } from "github-slugger"

/** The GFM slug of one heading or name, without the numbering of repeated headings. */
export const slugOf = (name: string): string => slug(name)

/** A slugger for one document: repeated headings get `-1`, `-2`, ... */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** Normalises a slug for lookup: lower case, underscores as hyphens, repeated hyphens as one. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
