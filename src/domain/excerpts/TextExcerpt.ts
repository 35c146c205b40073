/**
 * Cuts a text to the parts that help a task: its outline and the parts with search terms, in the order of the text. A
 * text within the limit stays whole. Notes name the omitted lines.
 */
import * as Arr from "effect/Array"
import { commentLines, longComments } from "../files/CommentLines.ts"
import { type Declaration, declarationsOf } from "../files/Declarations.ts"
import { outline } from "../markdown/Outline.ts"
import { cutAt } from "../text/Excerpt.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { blockBelow, declarationLines, enclosingLines, proses } from "./EnclosingLines.ts"
import { cutLine, LineChoice, packLines } from "./Packing.ts"
import { holdsName, leastScore, type SearchTerms, matchingLines, textsOf } from "./SearchTerms.ts"

export interface ExcerptSource {
  readonly lines: ReadonlyArray<string>
  readonly language: string
  /** The number of the first line; absent without line numbers. */
  readonly first?: number
  /** The indexes, from 0, of lines that are added first. */
  readonly keep?: ReadonlyArray<number>
  /** Returns the note for a gap between two lines (indexes from 0). */
  readonly gap: (from: number, to: number) => string
}

export interface Excerpt {
  readonly text: string
  /** The indexes of the shown lines. */
  readonly lines: ReadonlySet<number>
  readonly isWhole: boolean
}

/** The maximum number of lines of a block around a match. */
const longestPart = 40
/** The maximum number of lines that are chosen because the task names them. */
const mostMeant = 12
/** The longest declaration, in lines, that is shown whole. Of a longer declaration, only matching blocks are shown. */
const longestWhole = 80
/** If a declaration does not fit, this many of its last lines are shown. */
const lastLines = 3
/** A gap between shown lines is filled if it has at most this many lines. */
const mostOfGap = 4
/** How many lines around a match are shown in a declaration that does not fit. */
const nearLines = 2
/**
 * How many matches are shown in a declaration that does not fit. More matches would leave no room for the lines around
 * them.
 */
const mostLookedFor = 3

/** The end of a declaration's head is searched in at most this many lines of the declaration. */
const mostHead = 8
/** The maximum number of places whose own lines are added first. The lines around the places are added later. */
const mostFirst = 6
/** The share of the remaining budget that the outline must leave for other lines. */
const outlineShare = 0.65

const isProse = (language: string): boolean => proses.has(language) || language === "page"

/** The indexes of headings or declarations, the highest level first. */
const outlineOf = (
  { language, lines }: ExcerptSource,
  declarations: ReadonlyArray<Declaration>
): ReadonlyArray<number> =>
  (isProse(language)
    ? outline(lines.join("\n")).sections.map(({ depth, line }) => ({ depth, index: line - 1 }))
    : declarations
  )
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index)
    .map(({ index }) => index)

const importing =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s+[\w{:*\\]|using\s+\w|#include\b|(?:const|let|var)\b.*\brequire\()/

/** The lines of each import statement. Empty for prose. */
const importsOf = ({ language, lines }: ExcerptSource): ReadonlyArray<ReadonlyArray<number>> =>
  isProse(language)
    ? []
    : lines.flatMap((line, index) =>
        importing.test(line) ? [Arr.range(index, blockBelow(lines, index, longestPart))] : []
      )

const indexesOf = ({ from, to }: LineRange): ReadonlyArray<number> => Arr.range(from - 1, to - 1)

/** The lines of a declaration up to the line on which its body begins. */
const headLines = (lines: ReadonlyArray<string>, range: ReadonlyArray<number>, prose: ReadonlySet<number>) => {
  const code = range.filter((index) => !prose.has(index) && !/^\s*@/.test(lines[index] ?? ""))
  const end = code.slice(0, mostHead).findIndex((index) => /(?:[{:]|=>)\s*$/.test(lines[index] ?? ""))
  return code.slice(0, Math.max(1, end + 1))
}

/**
 * Adds the lines of a declaration that fit. The first and last lines and the lines near `index` come first. Then come
 * matches with their neighbouring lines, and then more lines around `index`.
 */
const addPart = (
  choice: LineChoice,
  range: ReadonlyArray<number>,
  head: ReadonlyArray<number>,
  index: number,
  { matched, spare }: { readonly matched: ReadonlyArray<number>; readonly spare: number }
) => {
  const end = range.slice(-lastLines)
  const near = range.filter((at) => Math.abs(at - index) <= nearLines)
  if (!choice.add([...new Set([...head, ...near, ...end])].toSorted((a, b) => a - b)) && !choice.add(near)) {
    choice.add([index])
  }
  const within = new Set(range)
  const half = choice.budgetLeft / 2
  for (const one of matched.filter((at) => within.has(at)).slice(0, mostLookedFor)) {
    const around = range.filter((at) => Math.abs(at - one) <= nearLines)
    if (choice.budgetLeft > half) choice.add(around)
  }
  const at = range.indexOf(index)
  const own = at < 0 ? 0 : at
  for (const distance of range.keys()) {
    const next = [range[own - distance], range[own + distance]].filter((one) => one !== undefined)
    if (choice.budgetLeft < spare || !next.every((one) => choice.add([one]))) break
  }
}

/** Also chooses the lines of short gaps between chosen lines. Without them, the model would request the file again. */
const fillGaps = (choice: LineChoice): void => {
  for (const at of [...choice.lines].toSorted((a, b) => a - b)) {
    const size = Array.from({ length: mostOfGap }, (_, index) => index + 1).find((one) =>
      choice.lines.has(at + one + 1)
    )
    if (size !== undefined) choice.add(Arr.range(at + 1, at + size))
  }
}

const choose = (source: ExcerptSource, terms: SearchTerms, choice: LineChoice): void => {
  const { keep = [], language, lines } = source
  const budget = choice.budgetLeft
  if (!choice.add(keep)) choice.addEach(keep)
  const declarations = declarationsOf(lines, language)
  const comments = commentLines(lines, language)
  const prose = longComments(lines, comments)
  const declared = declarationLines(lines, language, declarations)
  const enclosing = enclosingLines(lines, language === "page" ? "markdown" : language)
  const blocksAt = new Map<number, LineRange>()
  /**
   * The declaration around a line, or the block around it if the declaration is too long. A comment counts as the code
   * below it.
   */
  const blockAt = (index: number): LineRange => {
    let at = index
    while (comments.has(at) && at < lines.length - 1) at += 1
    const known = blocksAt.get(at)
    if (known !== undefined) return known
    const block = enclosing(at + 1, longestPart)
    const whole = declared({ from: at + 1, to: at + 1 })
    const isWider = whole !== undefined && (whole.from < block.from || whole.to > block.to)
    const found = isWider && whole.to - whole.from < longestWhole ? whole : block
    blocksAt.set(at, found)
    return found
  }
  const imports = importsOf(source)
  const inImports = new Set(imports.flat())
  const { blocks, meant: all } = matchingLines(lines, { declarations, comments, inImports }, terms, blockAt)
  const matched = blocks.flatMap(({ matchedLines }) => matchedLines)
  const meant = all.slice(0, mostMeant)
  const [first = -1, last = -1] = [keep[0], keep.at(-1)]
  const kept = language === "page" || first < 0 ? undefined : declared({ from: first + 1, to: last + 1 })
  const ranges = meant.map((index) => ({
    index,
    range: indexesOf(declared({ from: index + 1, to: index + 1 }) ?? enclosing(index + 1))
  }))
  // Drops a place that is the first line of a declaration, if the declaration contains another place.
  const isHead = ({ index, range }: (typeof ranges)[number]): boolean =>
    index === range[0] && ranges.some((one) => one.index !== index && one.range[0] === index)
  const placed = ranges.filter((one) => !isHead(one))
  const parts = kept === undefined ? placed : [{ index: first, range: indexesOf(kept) }, ...placed]
  // Adds the line of each place first. A long declaration then leaves space for the other places.
  for (const { index } of parts.slice(0, mostFirst)) if (choice.budgetLeft > budget / 2) choice.add([index])
  for (const [position, { index, range }] of parts.entries()) {
    if (range.every((at) => choice.lines.has(at) || prose.has(at))) continue
    const head = headLines(lines, range, prose)
    const code = range.filter((at) => !prose.has(at) || at === index)
    if (!choice.add(code)) {
      addPart(choice, code, head, index, { matched, spare: position < parts.length - 1 ? budget / 5 : 0 })
    }
  }
  for (const { range } of parts) choice.add(range)
  const isFound = parts.length > 0 || (blocks[0]?.score ?? 0) >= leastScore
  const show = (): void => {
    for (const {
      matchedLines: [best = 0]
    } of blocks) {
      const block = indexesOf(blockAt(best)).filter((at) => !inImports.has(at))
      // A block that does not fit is shown in part while half of the budget is free.
      if (choice.add(block) || choice.budgetLeft < budget / 2) continue
      addPart(choice, block, headLines(lines, block, prose), best, { matched, spare: budget / 2 })
    }
    fillGaps(choice)
  }
  if (isFound) show()
  // Imports come last, because a line that uses a name helps more than the import of this name.
  const holds = holdsName(terms)
  for (const statement of imports) if (statement.some((at) => holds(lines[at] ?? ""))) choice.add(statement)
  if (parts.length > 0 || choice.budgetLeft < budget / 2) return
  const beside = choice.budgetLeft * outlineShare
  choice.addEach(outlineOf(source, declarations), beside)
  show()
  choice.addEach(lines.keys())
}

/** The whole text if it has at most `limit` characters, otherwise the parts that help the task. */
export const excerptOf = (source: ExcerptSource, terms: SearchTerms, limit: number): Excerpt => {
  const { first, gap, lines } = source
  const withNumbers = (all: ReadonlyArray<string>) => (first === undefined ? all : numberLines(all, first))
  const whole = withNumbers(lines).join("\n")
  if (whole.length <= limit) return { text: whole, lines: new Set(lines.keys()), isWhole: true }
  const texts = textsOf(terms)
  const rows = withNumbers(lines.map((line) => cutLine(line, texts)))
  const { shown, text } = packLines(rows, limit, gap, (choice) => choose(source, terms, choice))
  return { text: cutAt(text, limit), lines: shown, isWhole: false }
}
