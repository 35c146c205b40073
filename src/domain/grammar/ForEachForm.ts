/**
 * Reads what a task is carried out for: `file in src/**`, `line in docs/*.md that contains TODO`, `entry in [Find](#find-results)`,
 * and what models write instead: a bare pattern, a folder, "every .ts file under src".
 */
import * as Option from "effect/Option"
import { addIssue, addRepair, type Findings, type Where } from "../findings/Issue.ts"
import { inlineLinks } from "../markdown/MarkdownTree.ts"
import type { ForEach, ItemKind } from "../plan/ForEach.ts"
import type { ResultReference } from "../plan/Reference.ts"
import { readReference, type ResolveResult } from "./ReferenceForm.ts"

/** The words that models use for each kind of item. */
const kinds: ReadonlyArray<readonly [ItemKind, RegExp]> = [
  ["heading", /^(?:headings?|chapters?|sections?)$/i],
  ["line", /^(?:lines?|match(?:es)?|occurrences?|places?|hits?)$/i],
  ["entry", /^(?:entry|entries|items?|rows?|bullets?|points?|elements?|names?|results?)$/i],
  ["file", /^(?:files?|modules?|documents?|pages?|sources?|scripts?|tests?)$/i]
]

const kindOf = (word: string): ItemKind | undefined => kinds.find(([, pattern]) => pattern.test(word))?.[0]

const kindOfNoun = (noun: string): ItemKind | undefined => kindOf(noun.trim().split(/\s+/).at(-1) ?? "")

/** `that contains "x"`, `containing x`, `with x in it`. */
const filter =
  /[\s,]+(?:(?:that|which)\s+(?:contains?|has|have|holds?|mentions?|uses?|includes?)|containing|with(?:\s+the\s+text)?|matching|mentioning)\s+(.+)$/is

const unquoted = (text: string): string => {
  const trimmed = text.trim().replace(/(?<=[`"'”’])[.,;]$/, "")
  return /^(`+|["'“‘])(.*?)(?:\1|["'”’])$/s.exec(trimmed)?.[2] ?? trimmed
}

const quantifier = /^(?:for\s+)?(?:each|every|all|any)(?:\s+of)?(?:\s+the)?\s+/i

interface Words {
  /** What counts as an item, as it is written. */
  readonly noun: string
  readonly place: string
  readonly containing: string | undefined
}

/** `every .ts file in src that contains "x"` as its parts. */
const cutWords = (written: string): Words => {
  const found = filter.exec(written)
  const before = (found === null ? written : written.slice(0, found.index)).trim().replace(quantifier, "")
  const containing = found === null ? undefined : unquoted(found[1] ?? "")
  const split =
    /^(.*?)(?:^|\s+)(?:in|of|from|under|within|inside|below|matching|on)(?:\s+the(?:\s+(?:folder|directory|file|list|result))?)?\s+(.+)$/is.exec(
      before
    )
  const noun = split?.[1] ?? ""
  /* A pattern may contain "in" as a folder; what counts as an item ends with a word for it. */
  return split === null || (kindOfNoun(noun) === undefined && /[*?[\]`]/.test(noun))
    ? { noun: "", place: before, containing }
    : { noun, place: split[2] ?? "", containing }
}

const extensionIn = /(?:^|\s|`)\*?\.([a-z\d]{1,8})\b/i

const languages: Readonly<Record<string, string>> = {
  typescript: "{ts,tsx,mts,cts}",
  javascript: "{js,jsx,mjs,cjs}",
  python: "py",
  go: "go",
  rust: "rs",
  java: "java",
  markdown: "md",
  ruby: "rb",
  php: "php",
  kotlin: "kt",
  swift: "swift",
  csharp: "cs"
}

/** The ending of files that a noun names: `.ts file`, `Python files`. */
const endingIn = (noun: string): string | undefined =>
  extensionIn.exec(noun)?.[1] ??
  Object.entries(languages).find(([name]) => new RegExp(`\\b${name}\\b`, "i").test(noun))?.[1]

const isGlob = (text: string): boolean => /[*?]|\{[^{}]*,[^{}]*\}/.test(text)

/** A folder stands for the files in it; a path without an ending is a folder. */
const patternOf = (place: string, noun: string): string | undefined => {
  const text = unquoted(place).replace(/\s+(?:folder|directory)$/i, "")
  const ending = endingIn(noun)
  if (/^(?:the\s+)?(?:whole\s+)?(?:project|repository|repo|codebase|code base)$/i.test(text) || text === ".")
    return ending === undefined ? "**" : `**/*.${ending}`
  if (text === "" || /\s/.test(text)) return undefined
  const path = text.replace(/^(?:\.\/)+/, "")
  /* One word without anything that marks it as a path is more likely prose. */
  if (kindOfNoun(noun) === undefined && /^\w+$/.test(place.trim())) return undefined
  if (isGlob(path) || /[^/]\.[a-z]\w{0,9}$/i.test(path)) return path
  if (!/^[\w@.()[\]-]+(?:\/[\w@.()[\]-]+)*\/?$/.test(path)) return undefined
  return `${path.replace(/\/$/, "")}/**${ending === undefined ? "" : `/*.${ending}`}`
}

const how =
  'Write "file in src/**/*.ts", "line in src/** that contains TODO", "heading in docs/guide.md", or "entry in [<task>](#<task>-results)".'

const quoted = (text: string): string => (text.includes("`") ? `"${text}"` : `\`${text}\``)

/** The strict form, which reads back as the same value; `link` writes the link to a result. */
export const forEachText = (
  { containing, kind, source }: ForEach,
  link: (source: ResultReference) => string = ({ href, title }) => `[${title}](${href})`
): string =>
  [
    `${kind} in ${source.kind === "glob" ? quoted(source.pattern) : link(source)}`,
    ...(containing === undefined ? [] : [`that contains ${quoted(containing)}`])
  ].join(" ")

const withoutQuotes = (text: string): string => text.replaceAll(/[`"]/g, "").trim()

/** The items that a task is for; nothing, with an issue, when the field cannot be read. */
export const readForEach = (
  written: string,
  where: Where,
  resolve: ResolveResult,
  findings: Findings
): ForEach | undefined => {
  const { containing, noun, place } = cutWords(written.trim())
  const filtered = containing === undefined || containing === "" ? {} : { containing }
  const wrong = (what: string) => {
    addIssue(findings, "for-each-form", where, { what, how, quote: written })
    return undefined
  }
  const note = (value: ForEach) =>
    addRepair(findings, "for-each-form-read", where, `Read "${written}" as "${forEachText(value)}".`)
  const named = noun === "" ? undefined : kindOfNoun(noun)
  const link = Option.getOrElse(inlineLinks(place), () => []).at(0)
  const form = link === undefined ? undefined : readReference(link.title, link.href)
  if (form?._tag === "Result") {
    const source = resolve(form, where)
    if (source === undefined) return undefined
    if (source.kind !== "task_result") return wrong(`The link "${form.href}" is not the result of a task.`)
    const value: ForEach = { kind: "entry", source, ...filtered }
    if (!written.trim().startsWith("entry in ")) note(value)
    return value
  }
  if (form !== undefined && (form._tag === "Wrong" ? form.code !== "reference-glob" : form.reference.kind !== "file"))
    return wrong(`The link "${link?.href ?? ""}" is neither the result of a task nor a path.`)
  const path = form?._tag === "Plain" && form.reference.kind === "file" ? form.reference.target : link?.href
  const pattern = path ?? patternOf(place, noun)
  if (pattern === undefined) return wrong(`It is unclear what "${written}" goes over.`)
  const isOneFile = !isGlob(pattern) && !pattern.endsWith("/**")
  const kind = named ?? (isOneFile && path !== undefined ? "entry" : "file")
  const value: ForEach = { kind, source: { kind: "glob", pattern }, ...filtered }
  if (withoutQuotes(forEachText(value)) !== withoutQuotes(written)) note(value)
  return value
}
