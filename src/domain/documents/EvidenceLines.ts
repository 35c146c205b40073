/**
 * Holds the lines and the quotation of a link against the text of its file. A quotation is found although blanks differ; a
 * line number beside it that is not its own is corrected.
 */
import { bareHrefOfPath } from "../files/FileHref.ts"
import { ruleOf } from "../findings/rules/Rules.ts"
import type { FileReference } from "../plan/Reference.ts"
import { countLines, type LineRange } from "../text/LineRange.ts"
import type { LinkVerdict, Quote } from "./Evidence.ts"

/** A name that stands on a single line is taken for the one that was meant up to this distance. */
const nearby = 10

const blanks = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The lines, from 1, on which the quotation stands. */
const linesWith = (text: string, quote: string): ReadonlyArray<number> =>
  text.split("\n").flatMap((line, index) => (blanks(line).includes(quote) ? [index + 1] : []))

const hrefWith = (reference: FileReference, from: number, to: number): string =>
  `${reference.href.replace(/#.*$/s, "")}#L${from}${to === from ? "" : `-L${to}`}`

const isWithin = (found: ReadonlyArray<number>, { from, to }: LineRange): boolean =>
  found.some((line) => line >= from && line <= to)

/** The link moved to the line of its quotation; nothing when it is there already or that line is not certain. */
const movedTo = (
  reference: FileReference,
  { count, found, quote }: { readonly count: number; readonly found: ReadonlyArray<number>; readonly quote: Quote }
): string | undefined => {
  const { lines } = reference
  if (lines === undefined || isWithin(found, lines)) return undefined
  const [nearest] = found.toSorted((a, b) => Math.abs(a - lines.from) - Math.abs(b - lines.from))
  if (nearest === undefined) return undefined
  const isCertain = quote.isLine || (found.length === 1 && Math.abs(nearest - lines.from) <= nearby)
  return isCertain ? hrefWith(reference, nearest, Math.min(count, nearest + lines.to - lines.from)) : undefined
}

/**
 * The verdict about a link to a file with this text. In a file that the run changed, what is quoted may have stood there
 * before, so nothing quoted is wrong.
 */
export const judgeLines = (
  reference: FileReference,
  text: string,
  given: { readonly quote?: Quote; readonly beside: ReadonlyArray<string>; readonly wasChanged: boolean }
): LinkVerdict => {
  const { lines, target } = reference
  const { beside, quote, wasChanged } = given
  const found = quote === undefined ? [] : linesWith(text, quote.text)
  const count = countLines(text)
  const isRight = lines !== undefined && beside.some((one) => isWithin(linesWith(text, one), lines))
  const moved = quote === undefined || isRight ? undefined : movedTo(reference, { count, found, quote })
  if (moved !== undefined) return { href: moved }
  if (lines !== undefined && lines.from > count) {
    const what = `"${reference.href}" names lines that ${target} does not have.`
    const how = count === 0 ? "The file is empty." : `It has the lines 1 to ${count}.`
    return { wrong: { code: "evidence-lines", what, how } }
  }
  if (quote?.isLine === true && found.length === 0 && !wasChanged) {
    const what = `The text \`${quote.text}\` beside the link is not in ${bareHrefOfPath(target)}.`
    return { wrong: { code: "evidence-quote", what, how: ruleOf("evidence-quote").fix } }
  }
  return lines !== undefined && lines.to > count ? { href: hrefWith(reference, lines.from, count) } : {}
}
