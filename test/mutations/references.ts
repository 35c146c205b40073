/**
 * Links of the field References as models write them.
 */
import { type Damage, choose, mapFields, type Random, type Whole } from "./Damage.ts"

const link = /\[([^\][\\]*)\]\(([^()<>\s]*)\)/g

const mapReferences = (document: Whole, random: Random, change: (value: string) => string): string | undefined =>
  mapFields(
    document,
    random,
    ({ label, lead, value }) => `${lead}**${label}** ${label === "References" ? change(value) : value}`
  )

/** Only where every link is a plain one, so that nothing is half damaged. */
const mapLinks = (
  document: Whole,
  random: Random,
  change: (title: string, href: string) => string
): string | undefined =>
  mapReferences(document, random, (value) =>
    value.replace(link, "").replace(/[\s,]/g, "") === ""
      ? value.replace(link, (_, title: string, href: string) => change(title, href))
      : value
  )

/** Only in a list, which knows its tasks: alone, a slug may be meant as it stands. */
const mapResults = (document: Whole, random: Random, change: (slug: string) => string): string | undefined =>
  document.kind !== "task-list"
    ? undefined
    : mapLinks(document, random, (title, href) => {
        const slug = /^#(.+)-results$/.exec(href)?.[1]
        return `[${title}](${slug === undefined ? href : change(slug)})`
      })

export const references: ReadonlyArray<Damage> = [
  {
    name: "marks around links",
    apply: (document, random) => {
      const mark = choose(random, "**", "*", "`", "_")
      return mapLinks(document, random, (title, href) =>
        title.includes(mark) ? `[${title}](${href})` : `${mark}[${title}](${href})${mark}`
      )
    }
  },
  {
    name: "marks that split links",
    apply: (document, random) => mapLinks(document, random, (title, href) => `**[${title}]**(${href})`)
  },
  {
    name: "marks inside link labels",
    apply: (document, random) => {
      const mark = choose(random, "**", "`", "*")
      return mapLinks(document, random, (title, href) =>
        /[`*_]/.test(title) ? `[${title}](${href})` : `[${mark}${title}${mark}](${href})`
      )
    }
  },
  {
    name: "a blank before the target",
    apply: (document, random) => mapLinks(document, random, (title, href) => `[${title}] (${href})`)
  },
  {
    name: "targets in angle brackets",
    apply: (document, random) => mapLinks(document, random, (title, href) => `[${title}](<${href}>)`)
  },
  {
    name: "titles after targets",
    apply: (document, random) => mapLinks(document, random, (title, href) => `[${title}](${href} "see there")`)
  },
  {
    name: "commas and words between links",
    apply: (document, random) => {
      const joint = choose(random, "), [", ") and [", "); [", ") | [")
      return mapReferences(document, random, (value) => value.replaceAll(") [", joint))
    }
  },
  {
    name: "links as a list",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) => {
        const indent = " ".repeat(lead.length)
        const items = [...value.matchAll(link)].map(([one]) => `${indent}- ${one}`)
        return label === "References" && value.replace(link, "").trim() === "" && items.length > 0
          ? `${lead}**${label}**\n${items.join("\n")}`
          : `${lead}**${label}** ${value}`
      })
  },
  {
    name: "a word before the links",
    apply: (document, random) => {
      const word = choose(random, "See ", "Use: ", "Read ")
      return mapReferences(document, random, (value) => (value.startsWith("[") ? word + value : value))
    }
  },
  {
    name: "no references, said in words",
    apply: (document, random) => {
      const none = choose(random, "None", "none.", "N/A", "-", "(none)", "No references needed.")
      return mapFields(document, random, ({ label, lead, value }) => {
        const self = `${lead}**${label}** ${value}`
        const hasNone = !/\*\*References\*\*/i.test(document.text) && document.options.planned === undefined
        return label === "Skill" && hasNone ? `${self}\n${lead}**References** ${none}` : self
      })
    }
  },
  {
    name: "underscores and capitals in slugs of results",
    apply: (document, random) => {
      const change = choose(
        random,
        (slug: string) => slug.replaceAll("-", "_"),
        (slug: string) => slug.toUpperCase()
      )
      return mapResults(document, random, (slug) => `#${change(slug)}-results`)
    }
  },
  {
    name: "doubled hyphens in slugs of results",
    apply: (document, random) => mapResults(document, random, (slug) => `#${slug.replaceAll("-", "--")}-results`)
  },
  {
    name: "percent signs in slugs of results",
    apply: (document, random) => mapResults(document, random, (slug) => `#${slug.replaceAll("-", "%2D")}-results`)
  },
  {
    name: "older forms of results",
    apply: (document, random) => {
      const change = choose(
        random,
        (slug: string) => `output:${slug}`,
        (slug: string) => `task://${slug}.md`,
        (slug: string) => `task://${slug}`
      )
      return mapResults(document, random, change)
    }
  }
]
