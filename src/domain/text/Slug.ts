/**
 * Slugs of headings and names, made as GitHub makes them.
 */

/** What is not part of a word. GitHub keeps letters with their marks, digits, underscores, hyphens, blanks, and halves of characters. */
const dropped = /[^\p{Alphabetic}\p{Mark}\p{Nd}\p{Pc}\p{Cs}\- ]/gu

/** The GFM slug of one heading or name, without the numbering of repeated headings. */
export const slugOf = (name: string): string => name.toLowerCase().replace(dropped, "").replaceAll(" ", "-")

/** A slugger for one document: repeated headings get `-1`, `-2`, ... */
export const makeSlugger = (): { readonly slug: (heading: string) => string } => {
  /** How often each slug was numbered already. */
  const numbered = new Map<string, number>()
  return {
    slug: (heading) => {
      const bare = slugOf(heading)
      let slug = bare
      while (numbered.has(slug)) {
        const next = (numbered.get(bare) ?? 0) + 1
        numbered.set(bare, next)
        slug = `${bare}-${next}`
      }
      numbered.set(slug, 0)
      return slug
    }
  }
}

/** Makes a looked-up slug comparable: lower case, underscores as hyphens, repeated hyphens as one. */
export const forgivingSlug = (slug: string): string =>
  slug.toLowerCase().replaceAll("_", "-").replace(/-{2,}/g, "-").replace(/^-|-$/g, "")
