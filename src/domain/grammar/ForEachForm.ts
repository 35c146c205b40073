/**
 * Reads the "For each" field of a task: `file in src/**`, `line in docs/*.md that contains TODO`, `call of open in
 * src/**`, `entry in [Find](#find-results)`. Also accepts a bare pattern, a folder, or "every file in src".
 */
import * as Option from "effect/Option"
import { addIssue, addRepair, type Findings, type Where } from "../findings/Issue.ts"
import { inlineLinks } from "../markdown/MarkdownTree.ts"
import type { ForEach, ItemKind } from "../plan/ForEach.ts"
import type { ResultReference } from "../plan/Reference.ts"
import { readReference, type ResolveResult } from "./ReferenceForm.ts"

const kinds: ReadonlyArray<readonly [ItemKind, RegExp]> = [
  ["heading", /^headings?$/i],
  ["line", /^lines?$/i],
  ["entry", /^(?:entry|entries)$/i],
  ["file", /^files?$/i]
]

/** Matches calls, such as ``call of `open` in src/**``. The groups are the function and the files. */
const callForm = /^calls?\s+(?:of|to)\s+(\S+)\s+(?:in|of|under)\s+(.+)$/is

const functionName = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::)[\p{L}_$][\p{L}\p{N}_$]*)*$/u

const kindOfNoun = (noun: string): ItemKind | undefined => {
  const word = noun.trim().split(/\s+/).at(-1) ?? ""
  return kinds.find(([, pattern]) => pattern.test(word))?.[0]
}

/** The words for a text that items must contain: `that contains "x"`, `containing x`. */
const filter = /[\s,]+(?:(?:that|which)\s+contains?|containing)\s+(.+)$/is

/** Matches the words that name the block around a line or a call, such as `inside "for"`. */
const blockFilter = /\s+(?:inside|within)\s+(?:an?\s+)?(`[^`]+`|"[^"]+"|\w+)(?:\s+blocks?)?[.,;]?\s*$/is

const unquoted = (text: string): string => {
  const trimmed = text.trim().replace(/(?<=[`"'”’])[.,;]$/, "")
  return /^(`+|["'“‘])(.*?)(?:\1|["'”’])$/s.exec(trimmed)?.[2] ?? trimmed
}

const quantifier = /^(?:for\s+)?(?:each|every|all)\s+/i

interface Words {
  /** The noun for an item as the task writes it, such as "file". */
  readonly noun: string
  readonly place: string
  readonly containing: string | undefined
}

/** Splits `every file in src that contains "x"` into its parts. */
const cutWords = (written: string): Words => {
  const found = filter.exec(written)
  const before = (found === null ? written : written.slice(0, found.index)).trim().replace(quantifier, "")
  const containing = found === null ? undefined : unquoted(found[1] ?? "")
  const [, noun = "", place = ""] = /^(.*?)(?:^|\s+)(?:in|of|under)\s+(.+)$/is.exec(before) ?? []
  /**
   * A word such as "in" may also be a part of a pattern, as the name of a folder. It is if the text before it has
   * pattern characters and is no known noun.
   */
  const isPlace = place === "" || (kindOfNoun(noun) === undefined && /[*?[\]`]/.test(noun))
  return isPlace ? { noun: "", place: before, containing } : { noun, place, containing }
}

/**
 * Splits words such as `inside a "for" block` off the end of a field for lines or calls. Words inside quotes are not
 * split off.
 */
const cutBlock = (written: string): { readonly text: string; readonly inside?: string } => {
  const block = blockFilter.exec(written)
  const text = written.slice(0, block?.index)
  const isQuoted = [...text.matchAll(/[`"]/g)].length % 2 === 1
  const isOfLines = /^(?:lines?|calls?)\b/i.test(text.replace(quantifier, ""))
  return block === null || isQuoted || !isOfLines ? { text: written } : { text, inside: unquoted(block[1] ?? "") }
}

const isGlob = (text: string): boolean => /[*?]|\{[^{}]*,[^{}]*\}/.test(text)

/** The pattern for a place. A path without an extension is a folder, and stands for all its files. */
const patternOf = (place: string, isNamed: boolean): string | undefined => {
  const path = unquoted(place).replace(/^(?:\.\/)+/, "")
  if (path === "" || /\s/.test(path)) return undefined
  /** A single word without any sign of a path is probably prose. */
  if (!isNamed && /^\w+$/.test(place.trim())) return undefined
  if (isGlob(path) || /[^/]\.[a-z]\w{0,9}$/i.test(path)) return path
  if (!/^[\w@.()[\]-]+(?:\/[\w@.()[\]-]+)*\/?$/.test(path)) return undefined
  return `${path.replace(/\/$/, "")}/**`
}

const how =
  'Write "file in src/**/*.ts", "line in src/** that contains TODO", "line in src/** that contains await inside for", "call of parse in src/**", "heading in docs/guide.md", or "entry in [<task>](#<task>-results)".'

const quoted = (text: string): string => (text.includes("`") ? `"${text}"` : `\`${text}\``)

/** The field in its strict form. The reader reads the same value from it. `link` returns the link to a result. */
export const forEachText = (
  { containing, inside, kind, source }: ForEach,
  link: (source: ResultReference) => string = ({ href, title }) => `[${title}](${href})`
): string => {
  const place = `in ${source.kind === "glob" ? quoted(source.pattern) : link(source)}`
  const block = inside === undefined ? "" : ` inside ${quoted(inside)}`
  if (containing === undefined) return `${kind} ${place}${block}`
  return kind === "call"
    ? `call of ${quoted(containing)} ${place}${block}`
    : `${kind} ${place} that contains ${quoted(containing)}${block}`
}

const withoutQuotes = (text: string): string => text.replaceAll(/[`"]/g, "").trim()

/** Reads the text of the field "For each". Undefined if it is unreadable; an issue then says why. */
export const readForEach = (
  written: string,
  where: Where,
  resolve: ResolveResult,
  findings: Findings
): ForEach | undefined => {
  const { inside, text } = cutBlock(written.trim())
  const [, called = "", calledIn = ""] = callForm.exec(text.replace(quantifier, "")) ?? []
  const name = unquoted(called).replace(/\(\)?$/, "")
  const isCall = functionName.test(name)
  const { containing, noun, place } = isCall ? { containing: name, noun: "call", place: calledIn } : cutWords(text)
  const filtered = {
    ...(containing === undefined || containing === "" ? {} : { containing }),
    ...(inside === undefined ? {} : { inside })
  }
  const wrong = (what: string) => {
    addIssue(findings, "for-each-form", where, { what, how, quote: written })
    return undefined
  }
  const note = (value: ForEach) =>
    addRepair(findings, "for-each-form-read", where, `Read "${written}" as "${forEachText(value)}".`)
  const named = isCall ? "call" : noun === "" ? undefined : kindOfNoun(noun)
  const link = Option.getOrElse(inlineLinks(place), () => []).at(0)
  const form = link === undefined ? undefined : readReference(link.title, link.href)
  if (form?._tag === "Result" && isCall) return wrong("Calls are found in files, not in the result of a task.")
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
  const pattern = path ?? patternOf(place, named !== undefined)
  if (pattern === undefined) return wrong(`It is unclear what "${written}" goes over.`)
  const isOneFile = !isGlob(pattern) && !pattern.endsWith("/**")
  const kind = named ?? (isOneFile && path !== undefined ? "entry" : "file")
  const value: ForEach = { kind, source: { kind: "glob", pattern }, ...filtered }
  if (withoutQuotes(forEachText(value)) !== withoutQuotes(written)) note(value)
  return value
}
