/** Finds the declarations of a text that other declarations of this text call. They often hold what the callers do. */
import * as Arr from "effect/Array"
import { codeLines } from "../files/CodeText.ts"
import type { Declaration } from "../files/Declarations.ts"
import type { LineRange } from "../text/LineRange.ts"

const call = /[A-Za-z_$][\w$]*(?=\s*\()/g

/** A name with more declarations than this is not looked up, because it is not clear which of them is called. */
const mostDeclarations = 2

/**
 * The indexes (from 0) of the declarations that the lines of `callers` call, in the order of the calls. Names that are
 * declared inside a caller are left out.
 */
export const calledDeclarations = (
  { language, lines }: { readonly lines: ReadonlyArray<string>; readonly language: string },
  declarations: ReadonlyArray<Declaration>,
  callers: ReadonlyArray<LineRange>
): ReadonlyArray<number> => {
  const byName = Map.groupBy(declarations, ({ name }) => name)
  const code = codeLines(lines.join("\n"), language)
  const isInsideCaller = (index: number): boolean => callers.some(({ from, to }) => from - 1 <= index && index < to)
  const called = callers
    .flatMap(({ from, to }) => Arr.range(from - 1, to - 1))
    .flatMap((index) => code[index]?.match(call) ?? [])
    .flatMap((name) => {
      const indexes = (byName.get(name) ?? []).map(({ index }) => index)
      return indexes.length > mostDeclarations || indexes.some(isInsideCaller) ? [] : indexes
    })
  return [...new Set(called)]
}
