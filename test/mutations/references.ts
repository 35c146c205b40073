/**
 * Links of the field References as models write them.
 */
import { type Apply, damages, inVariants, mapFields, onlyIn, type Random, type Variants, type Whole } from "./Damage.ts"

const link = /\[([^\][\\]*)\]\(([^()<>\s]*)\)/g

const mapReferences = (document: Whole, random: Random, change: (value: string) => string): string | undefined =>
  mapFields(
    document,
    random,
    ({ label, lead, value }) => `${lead}**${label}** ${label === "References" ? change(value) : value}`
  )

/** Writes links anew, only where every link is a plain one, so that nothing is half damaged. */
const linked = (write: (title: string, href: string, variant: string) => string, variants: Variants = [""]): Apply =>
  inVariants(variants, (document, variant, random) =>
    mapReferences(document, random, (value) =>
      value.replace(link, "").replace(/[\s,]/g, "") === ""
        ? value.replace(link, (_, title: string, href: string) => write(title, href, variant))
        : value
    )
  )

/** The same for links to results, only in a list, which knows its tasks: alone, a slug may be meant as it stands. */
const resulting = (write: (slug: string, variant: string) => string, variants?: Variants): Apply =>
  onlyIn(
    "task-list",
    linked((title, href, variant) => {
      const slug = /^#(.+)-results$/.exec(href)?.[1]
      return `[${title}](${slug === undefined ? href : write(slug, variant)})`
    }, variants)
  )

export const references = damages({
  "marks around links": linked(
    (title, href, mark) => (title.includes(mark) ? `[${title}](${href})` : `${mark}[${title}](${href})${mark}`),
    ["**", "*", "`", "_"]
  ),
  "marks that split links": linked((title, href) => `**[${title}]**(${href})`),
  "marks inside link labels": linked(
    (title, href, mark) => (/[`*_]/.test(title) ? `[${title}](${href})` : `[${mark}${title}${mark}](${href})`),
    ["**", "`", "*"]
  ),
  "a blank before the target": linked((title, href) => `[${title}] (${href})`),
  "targets in angle brackets": linked((title, href) => `[${title}](<${href}>)`),
  "titles after targets": linked((title, href) => `[${title}](${href} "see there")`),
  "commas and words between links": inVariants(["), [", ") and [", "); [", ") | ["], (document, joint, random) =>
    mapReferences(document, random, (value) => value.replaceAll(") [", joint))
  ),
  "underscores and capitals in slugs of results": resulting(
    (slug, change) => `#${change === "_" ? slug.replaceAll("-", "_") : slug.toUpperCase()}-results`,
    ["_", "capitals"]
  ),
  "doubled hyphens in slugs of results": resulting((slug) => `#${slug.replaceAll("-", "--")}-results`),
  "percent signs in slugs of results": resulting((slug) => `#${slug.replaceAll("-", "%2D")}-results`),
  "older forms of results": resulting(
    (slug, form) => form.replace("x", () => slug),
    ["output:x", "task://x.md", "task://x"]
  )
})
