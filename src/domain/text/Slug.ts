/** Slugs of headings and names, in the form that GitHub uses. */
import GithubSlugger, { slug } from "github-slugger"

/** The slug of a heading or name. Repeated headings get the same slug, without a number. */
export const slugOf = (name: string): string => slug(name)

/** A function that makes the slugs of one document. The slugs of repeated headings end with `-1`, `-2` and so on. */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => new GithubSlugger()

/** The form of a slug in comparisons: lower case, hyphens in place of underscores, and no repeated hyphens. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
