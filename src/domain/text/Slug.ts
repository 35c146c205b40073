/**
 * Slugs of headings and names, as GitHub writes them.
 */
import GithubSlugger, { slug } from "github-slugger"

/** The GFM slug of a heading or name. It has no number for repeated headings. */
export const slugOf = (name: string): string => slug(name)

/** A slugger for one document. Repeated headings get `-1`, `-2` and so on. */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** Normalises a slug for comparisons: lower case, hyphens in place of underscores, and no repeated hyphens. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
