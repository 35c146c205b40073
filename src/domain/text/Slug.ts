/** Slugs of headings and names, made as GitHub makes them. */
import GithubSlugger, { slug } from "github-slugger"

/** The GFM slug of one heading or name, without the numbering of repeated headings. */
export const slugOf = (name: string): string => slug(name)

/** A slugger for one document: repeated headings get `-1`, `-2`, ... */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** Makes a looked-up slug comparable: lower case, underscores as hyphens, repeated hyphens as one. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
