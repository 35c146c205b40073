/** Slugs of headings and names, as GitHub makes them. */
import GithubSlugger, { slug } from "github-slugger"

/** The slug of a heading or name, without a number for repeated headings. */
export const slugOf = (name: string): string => slug(name)

/** Makes the slugs of one document. Those of repeated headings end with `-1`, `-2` and so on. */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** A slug for comparisons: lower case, hyphens in place of underscores, no repeated hyphens. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
