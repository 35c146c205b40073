/** Finds contradictions between a number in a sentence and the numbers in the lines that the sentence is about. */

/** The maximum number of lines with which a sentence is compared. In more lines, some number would differ by chance. */
const mostLines = 3

const number = /(?<![\w.$#/-]|\bL)\d[\d_,]*(?:\.\d+)?(?![\w/]|\.\d|-\d)/g
/** Matches words before a number that is only a count or a position. */
const counts =
  /\b(?:lines?|rows?|columns?|steps?|tasks?|sections?|chapters?|versions?|v|nodes?|pages?|no\.?|number|issue|example|exit code|port|python|typescript|ecmascript|es)\s*$/i
const counted =
  /^\s*(?:(?:\w+ )?(?:lines?|files?|places?|times?|calls?|callers?|usages?|uses|matches|results?|tests?|functions?|methods?|classes|cases?|links?|hits|of)\b|[):.]\s)/i
/** Matches the end of the text before a number, such as `limit is` or `=`, if it shows that the number is a value. */
const isValue =
  /(?:\b(?:is|are|was|to|of|at|most|least|default|defaults|limit|maximum|minimum|equals|than)|[=:])\s*[*_`"'(]*$/i

const valueOf = (written: string): number => Number(written.replace(/[_,]/g, ""))

const numbersIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/\d[\d_]*(?:\.\d+)?(?:e\d+)?/gi)].map(([one]) => valueOf(one)).filter(Number.isFinite)

/** Conversion factors between units, such as seconds and minutes. */
const factors = [1, 60, 1000, 1024, 60_000, 3600, 3_600_000, 86_400, 86_400_000, 1_048_576, 100]

const means = (said: number, there: number): boolean =>
  Math.abs(said - there) <= 1 || factors.some((factor) => said * factor === there || there * factor === said)

const words = (text: string): ReadonlySet<string> =>
  new Set(
    (
      text
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[a-z]{4,}/g) ?? []
    ).map((word) => word.slice(0, 5))
  )

/**
 * If the lines contradict the number in a sentence: this number (`claimed`) and the numbers in the lines (`there`).
 * Undefined if they may agree. Also undefined if the sentence has not exactly one number, or shares no word with the
 * lines.
 */
export const otherNumber = (
  sentence: string,
  lines: ReadonlyArray<string>
): { readonly claimed: string; readonly there: string } | undefined => {
  if (lines.length > mostLines) return undefined
  // Hides quoted text, because a sentence does not state what it quotes. A quoted number stays visible.
  const prose = sentence.replace(/`[^`]*`|"[^"]*"/g, (span) =>
    /^[`"][\d_,.]+[`"]$/.test(span) ? span : "·".repeat(span.length)
  )
  const proseNumbers = [...prose.matchAll(number)].filter(
    (found) => !counts.test(prose.slice(0, found.index)) && !counted.test(prose.slice(found.index + found[0].length))
  )
  const [only, ...others] = proseNumbers
  if (only === undefined || others.length > 0 || !isValue.test(prose.slice(0, only.index))) return undefined
  const text = lines.join("\n")
  const there = numbersIn(text.replace(/\/\/.*|\b[A-Za-z_]\w*/g, (part) => (part.startsWith("//") ? part : " ")))
  if (there.length === 0 || there.length > 3) return undefined
  const value = valueOf(only[0])
  const product = there.reduce((all, one) => all * one, 1)
  if ([...there, product].some((one) => means(value, one))) return undefined
  const known = words(text)
  if (![...words(sentence)].some((word) => known.has(word))) return undefined
  return { claimed: only[0], there: there.join(" and ") }
}
