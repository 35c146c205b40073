/**
 * Shows the declarations around chosen lines of a text, and the declarations that these call. A declaration is never cut,
 * because a reader of a part of a function reads the function again. Long comments are left out.
 */
import * as Arr from "effect/Array"
import { commentLines, longComments } from "../files/CommentLines.ts"
import { type Declaration, declarationsOf } from "../files/Declarations.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { calledDeclarations } from "./CalledDeclarations.ts"
import { blockBelow, declarationLines, linesNear } from "./EnclosingLines.ts"
import { cutLine, packLines } from "./Packing.ts"

export interface ChosenDeclarations {
  /** The numbered lines, with notes for the lines between them. Empty if nothing fits. */
  readonly text: string
  /** The chosen declarations that do not fit. */
  readonly tooLong: ReadonlyArray<Declaration & LineRange>
}

/**
 * The declarations around the lines `indexes` (from 0), in this order, and then what they call, in at most `budget`
 * characters. A line inside a
 * declaration that does not fit is shown with a few lines around it. A declaration that does not fit is in `tooLong` if
 * its first line is one of `indexes`.
 */
export const wholeDeclarations = (
  { language, lines }: { readonly lines: ReadonlyArray<string>; readonly language: string },
  indexes: ReadonlyArray<number>,
  { budget, gap }: { readonly budget: number; readonly gap: (from: number, to: number) => string }
): ChosenDeclarations => {
  const declarations = new Map(declarationsOf(lines, language).map((one) => [one.index, one]))
  const declared = declarationLines(lines, language, [...declarations.values()])
  const comments = longComments(lines, commentLines(lines, language))
  const rows = numberLines(
    lines.map((line) => cutLine(line)),
    1
  )
  const tooLong: Array<Declaration & LineRange> = []
  const rangeAt = (index: number): LineRange | undefined =>
    declarations.has(index) && blockBelow(lines, index, lines.length) === index
      ? undefined
      : declared({ from: index + 1, to: index + 1 })
  const packed = packLines(rows, budget, gap, (choice) => {
    const add = ({ from, to }: LineRange): boolean =>
      choice.add(Arr.range(from - 1, to - 1).filter((at) => !comments.has(at)))
    const callers: Array<LineRange> = []
    for (const index of indexes) {
      const declaration = declarations.get(index)
      const range = rangeAt(index)
      if (range !== undefined && add(range)) callers.push(range)
      else if (declaration !== undefined && range !== undefined) tooLong.push({ ...declaration, ...range })
      else add(linesNear(lines, index + 1))
    }
    for (const index of calledDeclarations({ language, lines }, [...declarations.values()], callers)) {
      const range = rangeAt(index)
      if (range !== undefined) add(range)
    }
  })
  return { text: packed.isEmpty ? "" : packed.text, tooLong }
}
