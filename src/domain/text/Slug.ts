/**
 * Slugs of headings and names, made as GitHub makes them.
 */
import { slug as githubSlug } from "github-slugger"

/**
 * The GFM slug of one heading or name, without the numbering of repeated headings. Of printable ASCII only letters,
 * digits, hyphens and underscores stay; everything else needs the tables of Unicode, which cost far more.
 */
export const slugOf = (name: string): string => {
  if (/^[a-z0-9-]*$/.test(name)) return name
  if (!/^[ -~]*$/.test(name)) return githubSlug(name)
  return name
    .toLowerCase()
    .replace(/[^a-z0-9 _-]+/g, "")
    .replaceAll(" ", "-")
}

/** A slugger for one document: repeated headings get `-1`, `-2`, ... */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => {
  const counts = new Map<string, number>()
  return {
    slug: (heading) => {
      const plain = slugOf(heading)
      let slug = plain
      let count = counts.get(plain)
      while (counts.has(slug)) {
        count = (count ?? 0) + 1
        slug = `${plain}-${count}`
      }
      if (count !== undefined) counts.set(plain, count)
      counts.set(slug, 0)
      return slug
    }
  }
}

/** Makes a looked-up slug comparable: lower case, underscores as hyphens, repeated hyphens as one. */
export const forgivingSlug = (slug: string): string =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)
    ? slug
    : slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
