/**
 * Finds the places of a for-each task: lines or calls of a text. Each comes with the lines that show in which case it
 * runs.
 */
import * as Schema from "effect/Schema"
import { enclosingNames } from "../excerpts/EnclosingLines.ts"
import { codeLines } from "../files/CodeText.ts"
import { type Declaration, declarationsAround, declarationsOf, isProgram } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { offsetsIn } from "../files/TextEdit.ts"
import type { ForEach } from "../plan/ForEach.ts"
import { shortened } from "../text/Excerpt.ts"
import { oneLine } from "../text/Format.ts"
import type { LineRange } from "../text/LineRange.ts"

/** One of the places about which a task decides: a line of a file, with the lines around it. */
export const ListedPlace = Schema.Struct({
  path: Schema.String,
  /** The line number, from 1. */
  line: Schema.Int,
  /** The names of the declarations around the line, or the heading above the line. Empty if there are none. */
  within: Schema.String,
  /** The lines above that begin the blocks around the line, the outermost block first. */
  heads: Schema.optionalKey(Schema.Array(Schema.Struct({ line: Schema.Int, text: Schema.String }))),
  /** The line of the place and the lines around it. `first` is the line number of `lines[0]`. */
  first: Schema.Int,
  lines: Schema.Array(Schema.String),
  /** A sentence about a line of this file, such as an import, that gives the called name another meaning. */
  meaning: Schema.optionalKey(Schema.String)
})
export type ListedPlace = typeof ListedPlace.Type

/** The line of the place itself, whole. */
export const placeLine = ({ first, line, lines }: ListedPlace): string => lines[line - first] ?? ""

/**
 * How many lines before and after a place are shown. `amongMany`: in a prompt with many places. `alone`: for a place
 * with its own task.
 */
const linesAround = { amongMany: 2, alone: 5 }

const definition = /(?:^|[^\p{L}\p{N}_$])(?:def|fn|func|fun|function|sub|proc)\s+$/u

/** Returns a test for lines that call the function. A bare name does not match a call of a method. */
const callsIn = (name: string): ((line: string) => boolean) => {
  const call = new RegExp(`(?<![\\p{L}\\p{N}_$.:])${name.replaceAll(/[.$]/g, "\\$&")}\\s*\\(`, "gu")
  return (line) => [...line.matchAll(call)].some(({ index }) => !definition.test(line.slice(0, index)))
}

/**
 * The maximum lengths of lines, in characters. A place with a line longer than `ofPlace` gets its own task. Lines
 * around a place are cut to `around`.
 */
export const longestLine = { ofPlace: 400, around: 160 }

/** Keywords that a for-each task may search. They match as whole words in code, not in comments or quotes. */
const keywords: ReadonlySet<string> = new Set(
  "assert await break catch continue defer del delete except finally global goto import raise rescue return throw yield".split(
    " "
  )
)

/**
 * At most this many of the blocks around a place show their first lines. The innermost blocks are chosen, because they
 * best show in which case the place runs.
 */
const mostHeads = 2

/**
 * Matches the first line of an error handler. It shows in which case the place runs, so it is always shown, even beyond
 * `mostHeads`.
 */
const handler = /^\s*(?:\}\s*)?(?:except|catch|rescue)\b/

const depth = (line: string): number => line.search(/\S/)

/** True for a line of brackets only. It closes a block, or opens a block whose first line is above. */
const isBracket = (line: string): boolean => /^\s*[{)\]}>]+[;,]?\s*$/.test(line)

/** The indexes of the lines that begin the blocks around a line, the innermost first. Indentation shows the blocks. */
function* headsAbove(lines: ReadonlyArray<string>, index: number): Generator<number> {
  let outer = depth(lines[index] ?? "")
  for (let at = index - 1; at >= 0 && outer > 0; at--) {
    const line = lines[at] ?? ""
    const begins = depth(line)
    if (begins < 0 || begins >= outer || isBracket(line)) continue
    outer = begins
    yield at
  }
}

/**
 * Returns a function that finds the first lines of the blocks around a line, up to the enclosing declaration. It keeps
 * those that best show in which case the line runs.
 */
const blockHeads = (lines: ReadonlyArray<string>, language: string) => {
  if (!isProgram(language)) return () => []
  const declared = new Set(declarationsOf(lines, language).map(({ index }) => index))
  return (index: number): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
    const heads: Array<{ readonly line: number; readonly text: string }> = []
    for (const at of headsAbove(lines, index)) {
      if (declared.has(at)) break
      const line = lines[at] ?? ""
      if (heads.length < mostHeads || handler.test(line)) {
        heads.unshift({ line: at + 1, text: shortened(line, longestLine.around) })
      }
      if (handler.test(line) && heads.length >= mostHeads) break
    }
    return heads
  }
}

/**
 * Returns a function that finds the innermost block around a line whose first line contains the word, and returns the
 * index of this first line. Undefined if there is no such block.
 */
const blockWith =
  (code: ReadonlyArray<string>, word: string) =>
  (index: number): number | undefined =>
    Array.from(headsAbove(code, index)).find((at) => offsetsIn(code[at] ?? "", word).length > 0)

/** How many lines are searched for the closing parenthesis of a call. */
const longestCall = 8

export const openParentheses = (line: string): number => line.split("(").length - line.split(")").length

/** The index of the line that closes the parentheses of the line `at`. If no near line closes them, `at` itself. */
export const callEnd = (code: ReadonlyArray<string>, at: number): number => {
  let depth = 0
  for (let index = at; index < Math.min(code.length, at + longestCall); index++) {
    depth += openParentheses(code[index] ?? "")
    if (depth <= 0) return index
  }
  return at
}

/** Languages in which a type's own code can call its methods by bare name. */
const reachingMethods = new Set("java csharp kotlin swift c cpp cuda ruby scala groovy dart".split(" "))

const typeHead = /\b(?:class|interface|struct|trait|impl|enum|object|protocol|record)\b/

/**
 * Returns a test for declarations. It is true for a method that a bare call such as `open(...)` cannot reach in this
 * language.
 */
const isUnreached = (lines: ReadonlyArray<string>, all: ReadonlyArray<Declaration>, language: string) => {
  const isType = ({ index }: Declaration): boolean => typeHead.test(lines[index] ?? "")
  return (declaration: Declaration): boolean =>
    !reachingMethods.has(language) &&
    (/^func\s*\(/.test(lines[declaration.index] ?? "") ||
      declarationsAround(lines, all, declaration.index).some((outer) => outer !== declaration && isType(outer)))
}

/** Says that a line of this file, such as an import, gives the bare name another meaning. Undefined if no line does. */
const ownMeaning = (lines: ReadonlyArray<string>, code: ReadonlyArray<string>, language: string, name: string) => {
  const all = declarationsOf(lines, language)
  const isMethod = isUnreached(lines, all, language)
  const declared = all.find((one) => one.name === name && !isMethod(one))?.index
  const assigned = new RegExp(`^\\s*(?:${name}\\s*=(?!=)|(?:from|import)\\b.*\\b${name}\\b)`)
  const index = declared ?? code.findIndex((line) => assigned.test(line))
  return index < 0
    ? undefined
    : `In this file, ${name}(...) calls what line ${index + 1} names: ${oneLine(lines[index] ?? "")}`
}

/** A place, and the lines that a prompt shows if a task works on this place alone. */
export interface FoundPlace {
  readonly around: LineRange
  readonly place: ListedPlace
}

/** Finds the lines or calls of a text that the task names, in their order. */
export const findPlaces = (
  { path = "", text }: { readonly path?: string; readonly text: string },
  { containing, inside, kind }: ForEach
): ReadonlyArray<FoundPlace> => {
  const plain = text.replaceAll("\r\n", "\n")
  const lines = plain.split("\n")
  const language = languageOf(path)
  const code = codeLines(plain, language)
  const keyword =
    containing !== undefined && isProgram(language) && keywords.has(containing)
      ? new RegExp(`\\b${containing}\\b`)
      : undefined
  const isCalled = kind === "call" ? callsIn(containing ?? "") : undefined
  const blockOf = inside === undefined ? () => 0 : blockWith(code, inside)
  const isNamed = (index: number): boolean => {
    if (isCalled !== undefined) return isCalled(code[index] ?? "")
    if (keyword !== undefined) return keyword.test(code[index] ?? "")
    const line = lines[index] ?? ""
    return containing === undefined ? line.trim() !== "" : line.includes(containing)
  }
  const within = enclosingNames(lines, language)
  const headsOf = blockHeads(lines, language)
  const meaning =
    isCalled === undefined || containing === undefined || !/^\w+$/.test(containing)
      ? undefined
      : ownMeaning(lines, code, language, containing)
  const isBlank = (number: number): boolean => (lines[number - 1] ?? "").trim() === ""
  const around = (index: number, count: number) => ({
    from: Math.max(1, index + 1 - count),
    to: Math.min(lines.length, index + 1 + count)
  })
  return lines.flatMap((_, index) => {
    const block = isNamed(index) ? blockOf(index) : undefined
    if (block === undefined) return []
    const near = around(index, linesAround.amongMany)
    // Lines above the named block cannot show in which case this line runs.
    near.from = Math.max(near.from, block + 1)
    while (near.from < index + 1 && isBlank(near.from)) near.from += 1
    while (near.to > index + 1 && isBlank(near.to)) near.to -= 1
    const end = isProgram(language) ? callEnd(code, index) + 1 : index + 1
    // Lines after the line with a keyword are left out, because they cannot show in which case this line runs.
    near.to = keyword === undefined ? Math.max(near.to, end) : end
    const heads = headsOf(index).filter(({ line }) => block < line && line < near.from)
    const place: ListedPlace = {
      path,
      line: index + 1,
      within: within(index),
      ...(heads.length === 0 ? {} : { heads }),
      first: near.from,
      lines: lines
        .slice(near.from - 1, near.to)
        .map((text, at) => (near.from + at === index + 1 ? text : shortened(text, longestLine.around))),
      ...(meaning === undefined ? {} : { meaning })
    }
    return [{ around: around(index, linesAround.alone), place }]
  })
}
