/**
 * Shows the whole current text of the functions that changes touch, so that the model need not read them again. Changed
 * lines outside functions, such as imports, stand alone.
 */
import { declarationLines } from "../excerpts/EnclosingLines.ts"
import { packLines } from "../excerpts/Packing.ts"
import { languageOf } from "../files/Language.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { fenced } from "../markdown/PromptBlock.ts"
import { gapText } from "../models/OutputCut.ts"
import { holdsRange, type LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** The maximum number of lines of a declaration that is shown whole. */
const longestFunction = 100

/** The line numbers of added lines, and of the first line after each removed line. */
export const changedLines = (diff: string): ReadonlyArray<number> => {
  const numbers = new Set<number>()
  let next = 0
  for (const line of diff.split("\n")) {
    const start = /^@@ -\S+ \+(\d+)/.exec(line)?.[1]
    if (start !== undefined) next = Number(start)
    else if (next === 0) continue
    else if (line.startsWith("-")) numbers.add(next)
    else {
      if (line.startsWith("+")) numbers.add(next)
      next += 1
    }
  }
  return [...numbers]
}

interface FunctionOrder {
  readonly places: ReadonlyArray<LineRange>
  /** Lines that the prompt already shows. */
  readonly shownLines: ReadonlyArray<LineRange>
  /** Further lines to show if the budget allows it. */
  readonly beside: ReadonlyArray<LineRange>
  readonly budget: number
}

const isShort = ({ from, to }: LineRange): boolean => to - from < longestFunction

const indexesOf = ({ from, to }: LineRange): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from - 1 + index)

/**
 * The whole functions around all places. Undefined if one function is too long, or if all functions together exceed
 * `budget` characters.
 */
export const changedFunctions = (
  { path, text }: ProposedFile,
  { beside, budget, places, shownLines }: FunctionOrder
): string | undefined => {
  const source = (text ?? "").replace(/\n$/, "").split("\n")
  const declared = declarationLines(source, languageOf(path))
  const within = places.map(({ from, to }) => ({
    from: Math.min(from, source.length),
    to: Math.min(to, source.length)
  }))
  const ranges = within.map((place) => declared(place) ?? place)
  if (!ranges.every(isShort) || within.every((place) => declared(place) === undefined)) return undefined
  const wanted = ranges.filter((range) => !shownLines.some((outer) => holdsRange(outer, range)))
  if (wanted.length === 0) return ""
  let isWhole = true
  const packed = packLines(numberLines(source, 1), budget - path.length - 30, gapText, (choice) => {
    isWhole = choice.add(wanted.flatMap(indexesOf))
    if (isWhole) for (const range of beside) choice.add(indexesOf(range))
  })
  return isWhole ? `### ${path}\n\n${fenced(packed.text, "text")}\n\n` : undefined
}
