/**
 * Finds the links in the field References. CommonMark decides what a link is; what it leaves over is joined, completed or
 * ignored when only one thing can be meant, and is an issue otherwise.
 */
import * as Option from "effect/Option"
import type { Where } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { LinkReader } from "./LinkCache.ts"
import { type FoundLink, inlineLinks } from "../markdown/MarkdownTree.ts"
import { excerpt } from "./RawTask.ts"

/** A link, or what was meant as one. `bracketed` is false for a target with spaces that stood without `<` and `>`. */
export interface Candidate {
  readonly title: string
  readonly href: string
  readonly bracketed: boolean
}

const splitMarks = /\*\*(?=\[)|(?<=\[)\*\*|\*\*(?=\])|(?<=[\])])\*\*|`(?=\[[^\]`]*\]\([^)`]*\)`)|(?<=\]\([^)`]*\))`/g
const noReferences =
  /^[([*_]*(?:none|no|n\/?a|nil|null|empty|nothing|-+|–|—|no references?(?: needed| required)?|not (?:applicable|needed|required))[)\]*_]*[.!]?$/i
const joint = /^(?:[\s,;.&|/·•+*_!()[\]-]|\band\b|\bor\b|\bsee\b|\d+[.)])*$/i
const looksLikeTarget = /[\w)]\/[\w(.]|\/\w|\w\.[a-z]{1,5}\b|#\w|:\/\//i

const withoutLinks = (text: string, links: ReadonlyArray<FoundLink>): string => {
  let rest = ""
  let from = 0
  for (const link of links) {
    rest += `${text.slice(from, link.start)} `
    from = link.end
  }
  return rest + text.slice(from)
}

const spacedTarget = /(?<!\\)\]\(([^()<>"'\n]+)\)/g
const bareTarget = /^(?:https?:\/\/\S+|#[\w-]+)$/i

const blankBeforeTarget = /(?<!\\)\](?:\*\*)?[ \t]+(?:\*\*)?\((?=[^\s()]+\))/g

/** Puts links together that marks or blanks have split, and brackets targets with spaces. */
const joinLinks = (written: string) => {
  const joined = written.replace(splitMarks, "").replace(blankBeforeTarget, "](")
  const withSpaces = new Set<string>()
  const text = joined.replace(spacedTarget, (link, target: string) => {
    if (!/\S\s+\S/.test(target)) return link
    withSpaces.add(target.trim())
    return `](<${target.trim()}>)`
  })
  return { text, withSpaces, isJoined: joined !== written }
}

interface Found {
  readonly links: ReadonlyArray<Candidate>
  /** What is no link. */
  readonly rest: string
}

/** The label without emphasis around all of it; marks that are escaped belong to it. */
const titleOf = ({ start, title }: FoundLink, text: string): string =>
  /^\[[*_]/.test(text.slice(start, start + 2)) ? (/^([*_])([^*_].*)\1$/s.exec(title)?.[2] ?? title) : title

const parse = (text: string, withSpaces: ReadonlySet<string>, findLinks: LinkReader): Option.Option<Found> =>
  Option.map(findLinks(text), (links) => ({
    links: links.map((link) => ({
      title: titleOf(link, text),
      href: link.href,
      bracketed: !withSpaces.has(link.href)
    })),
    rest: withoutLinks(text, links).trim()
  }))

const addProse = (written: string, { links, rest }: Found, where: Where, findings: Findings): void => {
  const target = rest
    .split(/[\s,;]+/)
    .find((word) => looksLikeTarget.test(word))
    ?.replace(/^[`"'(]+|[`"').:]+$/g, "")
  addIssue(findings, "references-prose", where, {
    what:
      links.length === 0
        ? "The field has text but no link."
        : `The field has text beside its links: "${excerpt(rest)}".`,
    how:
      target === undefined
        ? "Write markdown links only, such as [main.ts](src/main.ts), or leave the field out."
        : `Write each reference as a markdown link, such as [${target.split("/").at(-1) ?? target}](${target}).`,
    quote: written
  })
}

/** The links in the text of the field. */
export const readLinks = (
  written: string,
  where: Where,
  findings: Findings,
  findLinks: LinkReader = inlineLinks
): ReadonlyArray<Candidate> => {
  if (written === "") return []
  if (noReferences.test(written)) {
    addRepair(findings, "references-none", where, `Read "${excerpt(written)}" as no references.`)
    return []
  }
  const strict = parse(written, new Set(), findLinks)
  if (Option.exists(strict, ({ rest }) => joint.test(rest)) && !/\[\*\*|\*\*\]/.test(written)) {
    return Option.getOrThrow(strict).links
  }
  const { isJoined, text, withSpaces } = joinLinks(written)
  const parsed = parse(text, withSpaces, findLinks)
  if (Option.isNone(parsed)) {
    addIssue(findings, "field-too-large", where, {
      what: "The field is too large or too deeply nested to look for links in it."
    })
    return []
  }
  if (isJoined)
    addRepair(findings, "reference-form", where, "Joined the parts of a link that marks or blanks had split.")
  const { links, rest } = parsed.value
  if (joint.test(rest)) return links
  const words = rest.split(/[\s,;]+/).filter((word) => !joint.test(word))
  if (words.every((word) => bareTarget.test(word))) {
    addRepair(findings, "reference-form", where, `Read ${words.map((word) => `"${word}"`).join(", ")} as links.`)
    return [...links, ...words.map((href) => ({ title: href, href, bracketed: true }))]
  }
  if (links.length > 0 && !looksLikeTarget.test(rest)) {
    addRepair(findings, "references-text", where, `Ignored the text beside the links: "${excerpt(rest)}".`)
  } else {
    addProse(written, parsed.value, where, findings)
  }
  return links
}
