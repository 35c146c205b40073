/**
 * Checks the links that a result or an answer gives as evidence. Compares their line numbers and quotations with the
 * files, and corrects or marks wrong links.
 */
import * as Schema from "effect/Schema"
import { bareHrefOfPath } from "../files/FileHref.ts"
import { ruleOf } from "../findings/rules/Rules.ts"
import { readReference, type ReferenceForm } from "../grammar/ReferenceForm.ts"
import { type FoundLink, markdownLinks } from "../markdown/MarkdownTree.ts"
import type { FileReference } from "../plan/Reference.ts"
import { countLines, type LineRange } from "../text/LineRange.ts"
import { otherNumber } from "../text/Numbers.ts"

/** A quotation beside a link. `isLine` is false for a name or a few words, which prove little. */
interface Quote {
  readonly text: string
  readonly isLine: boolean
}

export interface EvidenceLink extends FoundLink {
  readonly form: ReferenceForm
  readonly quote?: Quote
  /** The words of the link's sentence, without the link itself. They reach at most to the links before and after it. */
  readonly statement: string
  /**
   * All quotations on the line between the neighbouring links. The link is right if its target contains one of them.
   */
  readonly beside: ReadonlyArray<string>
}

/** What is wrong with a link. The codes are codes of rules. */
export const WrongLink = Schema.Struct({
  code: Schema.Literals([
    "evidence-file",
    "evidence-lines",
    "evidence-number",
    "evidence-quote",
    "evidence-result",
    "evidence-page"
  ]),
  what: Schema.String,
  how: Schema.String
})
export type WrongLink = typeof WrongLink.Type

/**
 * The verdict about a link. Without fields, the link is right. With `href`, it is right after its target is replaced by
 * `href`.
 */
export const LinkVerdict = Schema.Struct({
  wrong: Schema.optionalKey(WrongLink),
  /** The corrected target. */
  href: Schema.optionalKey(Schema.String)
})
export type LinkVerdict = typeof LinkVerdict.Type

const code = /(`{1,2})([^`\n]+)\1/.source
const quoted = /["“]([^"“”\n]+)["”]/.source
const after = new RegExp(`^(?:\\)?[ \\t]*(?::|—|–|-)[ \\t]*|[ \\t]+)(?:${code}|${quoted})`)
const before = new RegExp(`(?:${code}|${quoted})[ \\t]*(?::|—|–|-|\\(|\\b(?:in|at|on|from)\\b)?[ \\t]*$`)

/** Removes the line number that a tool added to a quotation, and all text after the dots of an omission. */
const plainQuote = (text: string): string =>
  (text.replace(/^\s*\d+[:|]\s?/, "").split(/\.{3}|…/)[0] ?? "").replace(/\s+/g, " ").trim()

/** The minimum length of a quotation in characters. Shorter quotations occur on most lines. */
const leastQuote = 4
/** From this length in characters, a quotation counts as a line of a file. */
const leastProse = 16
const leastCode = 10

const quoteOf = (match: RegExpExecArray | null): Quote | undefined => {
  if (match === null) return undefined
  const [, , span, prose] = match
  const text = plainQuote(span ?? prose ?? "")
  const isSentence = prose !== undefined && text.length >= leastProse
  const isCode = span !== undefined && text.length >= leastCode && /[=(){}[\];<>"':,#*|+]/.test(text)
  return text.length < leastQuote ? undefined : { text, isLine: /\S\s\S/.test(text) && (isSentence || isCode) }
}

/** The maximum number of characters between a link and the end of its quotation. */
const reach = 400

/**
 * The quotation directly after the link. If there is none, or if it belongs to the next link, the quotation directly
 * before the link is taken.
 */
const quoteBeside = (text: string, { end, start }: FoundLink, next: number | undefined): Quote | undefined => {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start).slice(-reach)
  const behind = after.exec(text.slice(end, end + reach))
  const isOfNext = behind !== null && next !== undefined && /^[ \t]*\(?$/.test(text.slice(end + behind[0].length, next))
  return (isOfNext ? undefined : quoteOf(behind)) ?? quoteOf(before.exec(line))
}

const quotes = new RegExp(`${code}|${quoted}`, "g")

/** All quotations on the line of a link, between its neighbouring links. */
const quotesAround = (text: string, { end, start }: FoundLink, from: number, to: number): ReadonlyArray<string> => {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1
  const lineEnd = text.indexOf("\n", end)
  const before = text.slice(Math.max(lineStart, from, start - reach), start)
  const behind = text.slice(end, Math.min(lineEnd < 0 ? text.length : lineEnd, to, end + reach))
  return [...`${before}\n${behind}`.matchAll(quotes)]
    .map(([, , span, prose]) => plainQuote(span ?? prose ?? ""))
    .filter((one) => one.length >= leastQuote)
}

const statementAround = (text: string, { end, start }: FoundLink, from: number, to: number): string => {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1
  const lineEnd = text.indexOf("\n", end)
  const before = text.slice(Math.max(lineStart, from, start - reach), start)
  const behind = text.slice(end, Math.min(lineEnd < 0 ? text.length : lineEnd, to, end + reach))
  return `${before.split(/[.!?;]\s+(?=[A-Z`*"[])/).at(-1) ?? ""} ${behind.split(/[.!?;](?=\s|$)/)[0] ?? ""}`
}

/** The links of a text, in order. Empty if the text is too large or too complex to parse. */
export const evidenceLinks = (text: string): ReadonlyArray<EvidenceLink> => {
  const links = markdownLinks(text)
  return links.map((link, index): EvidenceLink => {
    const next = links[index + 1]?.start
    const quote = quoteBeside(text, link, next)
    const form = readReference(link.title, link.href)
    const beside = quotesAround(text, link, links[index - 1]?.end ?? 0, next ?? text.length)
    const statement = statementAround(text, link, links[index - 1]?.end ?? 0, next ?? text.length)
    return Object.assign({ form, beside, quote, statement }, link)
  })
}

const marks: Readonly<Record<WrongLink["code"], string>> = {
  "evidence-file": "(not found)",
  "evidence-lines": "(no such line)",
  "evidence-number": "(the line has another number)",
  "evidence-quote": "(not found there)",
  "evidence-result": "(no such result)",
  "evidence-page": "(not fetched)"
}

/** True for a link with a mark such as "(not found)". */
export const isMarked = (text: string, { end }: FoundLink): boolean =>
  Object.values(marks).some((mark) => text.startsWith(` ${mark}`, end))

export interface JudgedLink {
  readonly link: EvidenceLink
  readonly verdict: LinkVerdict
}

const rewritten = (source: string, { link, verdict: { href } }: JudgedLink): string => {
  if (href === undefined) return source
  return source.includes(link.href) ? source.replaceAll(link.href, href) : `[${link.title}](${href})`
}

/** The text with corrected links. With `mark`, each wrong link gets a mark such as "(not found)". */
export const withVerdicts = (text: string, judged: ReadonlyArray<JudgedLink>, mark: boolean): string => {
  let result = ""
  let rest = 0
  for (const judgedLink of judged) {
    const { link, verdict } = judgedLink
    const note = mark && verdict.wrong !== undefined ? ` ${marks[verdict.wrong.code]}` : ""
    const isMarked = note !== "" && text.startsWith(note, link.end)
    result +=
      text.slice(rest, link.start) + rewritten(text.slice(link.start, link.end), judgedLink) + (isMarked ? "" : note)
    rest = link.end
  }
  return result + text.slice(rest)
}

/**
 * A short quotation proves little, so it may move its link by at most this many lines. This holds even if it occurs on
 * only one line.
 */
const nearby = 10

const blanks = (text: string): string => text.replace(/\s+/g, " ").trim()

/** A quotation with fewer characters must stand on one line. */
const leastJoined = 12
/** The maximum number of lines that a quotation may span. */
const mostJoined = 3

/** The numbers, from 1, of the lines on which the quotation begins. */
const linesWith = (text: string, quote: string): ReadonlyArray<number> => {
  const lines = text.split("\n").map(blanks)
  const found = lines.flatMap((line, index) => (line.includes(quote) ? [index + 1] : []))
  if (found.length > 0 || quote.length < leastJoined) return found
  return lines.flatMap((line, index) => {
    const joined = lines
      .slice(index, index + mostJoined)
      .join(" ")
      .replace(/ {2,}/g, " ")
    const at = joined.indexOf(quote)
    return at >= 0 && at < line.length ? [index + 1] : []
  })
}

const hrefWith = (reference: FileReference, from: number, to: number): string =>
  `${reference.href.replace(/#.*$/s, "")}#L${from}${to === from ? "" : `-L${to}`}`

const isWithin = (found: ReadonlyArray<number>, { from, to }: LineRange): boolean =>
  found.some((line) => line >= from && line <= to)

/** The link, moved to the line of its quotation. Undefined if the link is right, or if that line is not certain. */
const movedTo = (
  reference: FileReference,
  {
    count,
    quoteLines,
    quote
  }: { readonly count: number; readonly quoteLines: ReadonlyArray<number>; readonly quote: Quote }
): string | undefined => {
  const { lines } = reference
  if (lines === undefined || isWithin(quoteLines, lines)) return undefined
  const [nearest] = quoteLines.toSorted((a, b) => Math.abs(a - lines.from) - Math.abs(b - lines.from))
  if (nearest === undefined) return undefined
  const isCertain = quote.isLine || (quoteLines.length === 1 && Math.abs(nearest - lines.from) <= nearby)
  return isCertain ? hrefWith(reference, nearest, Math.min(count, nearest + lines.to - lines.from)) : undefined
}

/**
 * The verdict about a link to a file with this text. If the run changed the file (`wasChanged`), a quotation is never
 * wrong: it may be from the old text.
 */
export const judgeLines = (
  reference: FileReference,
  text: string,
  facts: {
    readonly quote?: Quote
    readonly beside: ReadonlyArray<string>
    readonly statement: string
    readonly wasChanged: boolean
    /** True if the quotation is in the output of a command. */
    readonly isPrinted?: boolean
  }
): LinkVerdict => {
  const { lines, target } = reference
  const { beside, isPrinted = false, quote, statement, wasChanged } = facts
  const quoteLines = quote === undefined ? [] : linesWith(text, quote.text)
  const count = countLines(text)
  const isRight = lines !== undefined && beside.some((one) => isWithin(linesWith(text, one), lines))
  const moved =
    quote === undefined || isRight ? undefined : movedTo(reference, { count, quoteLines: quoteLines, quote })
  if (moved !== undefined) return { href: moved }
  if (lines !== undefined && lines.from > count) {
    const what = `"${reference.href}" names lines that ${target} does not have.`
    const how = count === 0 ? "The file is empty." : `It has the lines 1 to ${count}.`
    return { wrong: { code: "evidence-lines", what, how } }
  }
  const shown = lines === undefined ? [] : text.split("\n").slice(lines.from - 1, lines.to)
  const numbers = shown.length === 0 || wasChanged ? undefined : otherNumber(statement, shown)
  if (numbers !== undefined) {
    const what = `The text says ${numbers.claimed}, but ${reference.href} says ${numbers.there}.`
    return { wrong: { code: "evidence-number", what, how: ruleOf("evidence-number").fix } }
  }
  if (quote?.isLine === true && quoteLines.length === 0 && !wasChanged && !isPrinted) {
    const what = `The text \`${quote.text}\` beside the link is not in ${bareHrefOfPath(target)}.`
    return { wrong: { code: "evidence-quote", what, how: ruleOf("evidence-quote").fix } }
  }
  return lines !== undefined && lines.to > count ? { href: hrefWith(reference, lines.from, count) } : {}
}
