/**
 * Cuts a text to the parts that help a task, in the order of the text: the declarations, blocks and sections with its
 * search terms, each whole or with a few lines around the match, or an outline if nothing matches. A text within the
 * limit stays whole. Notes name the omitted lines.
 */
import * as Arr from "effect/Array"
import { commentLines, longComments } from "../files/CommentLines.ts"
import { type Declaration, declarationsOf } from "../files/Declarations.ts"
import { isImportLine } from "../files/ImportLine.ts"
import { outline } from "../markdown/Outline.ts"
import { cutAt } from "../text/Excerpt.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { calledDeclarations } from "./CalledDeclarations.ts"
import { blockBelow, declarationLines, enclosingLines, linesNear, proses } from "./EnclosingLines.ts"
import { cutLine, type LineChoice, packLines } from "./Packing.ts"
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
/** The longest declaration, in lines, that is shown for its words alone. Of a longer one, only matching blocks are shown. */
const longestWhole = 80
/** The share of the remaining budget that the outline must leave for other lines. */
const besideOutline = 0.65

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

/** The lines of each import statement. Empty for prose. */
const importsOf = ({ language, lines }: ExcerptSource): ReadonlyArray<ReadonlyArray<number>> =>
  isProse(language)
    ? []
    : lines.flatMap((line, index) =>
        isImportLine(line) ? [Arr.range(index, blockBelow(lines, index, longestPart))] : []
      )

const indexesOf = ({ from, to }: LineRange): ReadonlyArray<number> => Arr.range(from - 1, to - 1)

const choose = (source: ExcerptSource, terms: SearchTerms, choice: LineChoice): void => {
  const { keep = [], language, lines } = source
  const budget = choice.budgetLeft
  const declarations = declarationsOf(lines, language)
  const comments = commentLines(lines, language)
  const declared = declarationLines(lines, language, declarations)
  const enclosing = enclosingLines(lines, language === "page" ? "markdown" : language)
  const longCommentLines = longComments(lines, comments)
  const declarationAt = (index: number) => declared({ from: index + 1, to: index + 1 })
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
    const whole = declarationAt(at)
    const isWider = whole !== undefined && (whole.from < block.from || whole.to > block.to)
    const found = isWider && whole.to - whole.from < longestWhole ? whole : block
    blocksAt.set(at, found)
    return found
  }
  const imports = importsOf(source)
  const inImports = new Set(imports.flat())
  const { blocks, meant: all } = matchingLines(lines, { declarations, comments, inImports }, terms, blockAt)
  const meant = all.slice(0, mostMeant)

  const addWhole = (part: LineRange, index: number): boolean =>
    choice.add(indexesOf(part).filter((at) => at === index || !longCommentLines.has(at)))
  /**
   * Adds the part that is shown for a line, or if it does not fit, less around the line: the block, a few lines, or the
   * line alone. These are all from the declaration around the line.
   */
  const addAround = (index: number, part: LineRange | undefined): void => {
    const line = { from: index + 1, to: index + 1 }
    const { from, to } = declarationAt(index) ?? { from: 1, to: lines.length }
    const smaller = [enclosing(index + 1, longestPart), linesNear(lines, index + 1), line].map((one) => ({
      from: Math.max(from, one.from),
      to: Math.min(to, one.to)
    }))
    for (const one of part === undefined ? smaller : [part, ...smaller]) if (addWhole(one, index)) return
  }
  if (!choice.add(keep)) choice.addEach(keep)
  if (keep.length === lines.length) return
  const [first, last = 0] = [keep[0], keep.at(-1)]
  const kept = language === "page" || first === undefined ? undefined : declared({ from: first + 1, to: last + 1 })
  if (first !== undefined && kept !== undefined) addAround(first, kept)
  for (const index of meant) addAround(index, declarationAt(index))
  const whole = meant.flatMap((index) => declarationAt(index) ?? []).filter(({ to }) => choice.lines.has(to - 1))
  for (const index of calledDeclarations(source, declarations, whole)) addWhole(blockAt(index), index)
  const isFound = kept !== undefined || meant.length > 0
  const addBlocks = (): void => {
    for (const block of blocks) {
      const [best = 0] = block.matchedLines
      // A part of a block takes the room of others, so it is shown only while half of the budget is free.
      if (!addWhole(blockAt(best), best) && choice.budgetLeft >= budget / 2) addAround(best, undefined)
    }
  }
  if (isFound || (blocks[0]?.score ?? 0) >= leastScore) addBlocks()
  // Imports come last, because a line that uses a name helps more than the import of this name.
  const holds = holdsName(terms)
  for (const statement of imports) if (statement.some((at) => holds(lines[at] ?? ""))) choice.add(statement)
  // Long comments of what the task names have been left out so far.
  for (const index of meant) choice.add(indexesOf(declarationAt(index) ?? blockAt(index)))
  if (isFound || choice.budgetLeft < budget / 2) return
  const beside = choice.budgetLeft * besideOutline
  choice.addEach(outlineOf(source, declarations), beside)
  addBlocks()
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
