/** Recognises the lines at which fences and blocks with three marks begin and end. */
import type { IssueCode } from "../findings/Issue.ts"
import { pathOfLine } from "./ChangePath.ts"

/** The marks that prompts tell models to write. */
export const changeMarks = { open: "<<<<<<< OLD", middle: "=======", close: ">>>>>>> NEW" } as const

const openMark = /^(\s*)(<{5,9})(?!<)\s*(?:(OLD|SEARCH|ORIGINAL)\b)?:?\s*(.*)$/i
const middleMark = /^\s*(={5,9})\s*(?:NEW|REPLACE|UPDATED)?:?\s*$/i
const closeMark = /^\s*(>{5,9})\s*(?:(?:NEW|REPLACE|UPDATED)\b.*)?$/i
/** Matches a line that looks like the first or last mark of a block. Three signs are enough. */
export const looseMark = /^\s*(?:<{3,}\s*(?:OLD|SEARCH|ORIGINAL)|>{3,}\s*(?:NEW|REPLACE|UPDATED))\b/i
const fenceMark = /^[ \t]*(`{3,}|~{3,})([^`]*)$/
export const readFence = (line: string): { readonly signs: string; readonly info: string } | undefined => {
  const [, signs = "", info = ""] = fenceMark.exec(line) ?? []
  return signs === "" ? undefined : { signs, info: info.trim() }
}

export const report = /^#{1,6}\s+(?:\*\*)?result summary\b/i

export interface OpenMark {
  readonly indent: string
  readonly length: number
  readonly path: string | undefined
  /** The text after the mark. */
  readonly label: string
}

/** Reads the first mark of a block. Conflict marks of git have other words, and are not read. */
export const readOpen = (line: string): OpenMark | undefined => {
  const [, indent = "", signs = "", word, after = ""] = openMark.exec(line) ?? []
  if (signs === "") return undefined
  const path = after === "" ? undefined : pathOfLine(after)?.path
  return word === undefined && after !== "" && path === undefined
    ? undefined
    : { indent, length: signs.length, path, label: after.trim() }
}

const lengthOf = (mark: RegExp, line: string): number => mark.exec(line)?.[1]?.length ?? 0

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

export const lastBefore = (lines: ReadonlyArray<string>, at: number, test: (line: string) => boolean): number => {
  let index = at - 1
  while (index >= 0 && !test(lines[index] ?? "")) index -= 1
  return index
}

/** The indexes of the marks of a block, or the problem of an incomplete block. */
interface Bounds {
  readonly middle: number
  readonly end: number
  readonly problem?: readonly [code: IssueCode, what: string]
}

/**
 * The end of a block without a closing mark: the end of its fence, the heading of the report, or the next block. A path
 * or fence directly above the next block belongs to that block.
 */
const brokenEnd = (lines: ReadonlyArray<string>, from: number, next: number): number => {
  const stop = lines.findIndex((line, at) => at > from && (readFence(line)?.info === "" || report.test(line)))
  if (stop !== -1 && stop < next) return stop
  let end = next
  while (next < lines.length && end > from + 1) {
    const line = lines[end - 1] ?? ""
    if (!isBlank(line) && readFence(line) === undefined && pathOfLine(line) === undefined) break
    end -= 1
  }
  return end
}

/**
 * Finds the marks of a block. All marks have the same length, because the text of the block may contain marks of
 * another length. If no closing mark has this length, the first closing mark of another length ends the block.
 */
export const findBounds = (lines: ReadonlyArray<string>, from: number, length: number): Bounds => {
  let next = from + 1
  while (next < lines.length && readOpen(lines[next] ?? "")?.length !== length) next += 1
  const within = lines.slice(from + 1, next)
  const at = (mark: RegExp, fits: (found: number) => boolean, end = within.length): ReadonlyArray<number> =>
    within.slice(0, end).flatMap((line, index) => (fits(lengthOf(mark, line)) ? [index] : []))
  const same = (found: number) => found === length
  const end = at(closeMark, same)[0] ?? at(closeMark, (found) => found > 0)[0]
  const middles = at(middleMark, same, end)
  const all = middles.length > 0 ? middles : at(middleMark, (found) => found > 0, end)
  const after = end === undefined ? brokenEnd(lines, from, next) : from + end + 2
  const broken = (code: IssueCode, what: string): Bounds => ({ middle: -1, end: after, problem: [code, what] })
  if (end === undefined || all.length === 0) {
    const lacks = [all.length === 0 ? "the line =======" : [], end === undefined ? "the line >>>>>>> NEW" : []].flat()
    return broken("change-unfinished", `The block lacks ${lacks.join(" and ")}.`)
  }
  if (all.length === 1) return { middle: from + 1 + (all[0] ?? 0), end: after }
  return broken(
    "change-marks",
    `${all.length} lines of the block can be the line between OLD and NEW. Marks of another length, 5 to 9 signs, tell them apart.`
  )
}

/** If one fence surrounds all lines: the lines inside it. Otherwise undefined. */
export const unfenced = (lines: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [first, last] = [readFence(lines[0] ?? ""), readFence(lines.at(-1) ?? "")]
  if (first === undefined || last === undefined || lines.length < 2) return undefined
  return last.info === "" && last.signs === first.signs ? lines.slice(1, -1) : undefined
}

export interface InfoFence {
  readonly info: string
  /** The index of the closing line. If no line closes the fence, the number of lines. */
  readonly end: number
  /** True when a later line may also be the end of the fence. */
  readonly isUnclear?: boolean
}

/** The index after a whole block that begins here; undefined if no block begins here. */
export const afterBlock = (lines: ReadonlyArray<string>, at: number): number | undefined => {
  const open = readOpen(lines[at] ?? "")
  const bounds = open === undefined ? undefined : findBounds(lines, at, open.length)
  return bounds?.problem === undefined ? bounds?.end : undefined
}

/**
 * Yields the index of each line that may close a fence and is outside blocks and inner fences. `nests` is true if a
 * fence line with a language opens an inner fence.
 */
const closingLines = function* (lines: ReadonlyArray<string>, from: number, nests: boolean): Generator<number> {
  const { signs } = readFence(lines[from] ?? "") ?? { signs: "" }
  let depth = 0
  for (let next = from + 1; next < lines.length;) {
    const at = next
    const end = afterBlock(lines, at)
    next = end ?? at + 1
    const inner = end === undefined ? readFence(lines[at] ?? "") : undefined
    if (inner === undefined || inner.signs[0] !== signs[0] || inner.signs.length < signs.length) continue
    if (inner.info !== "") depth += nests ? 1 : 0
    else if (depth > 0) depth -= 1
    else yield at
  }
}

/**
 * Finds the end of the fence that opens on line `from`. Undefined if no fence opens there. In a markdown fence, a fence
 * line with a language opens an inner fence.
 */
export const fenceAt = (lines: ReadonlyArray<string>, from: number): InfoFence | undefined => {
  const opening = readFence(lines[from] ?? "")
  if (opening === undefined) return undefined
  const { info } = opening
  const [end = lines.length] = closingLines(lines, from, /^(?:markdown|md|mdx)\b/i.test(info))
  return { info, end }
}

/** True for a fence line without a language that looks like the opening line of a fence. */
const looksOpening = (lines: ReadonlyArray<string>, at: number): boolean =>
  !isBlank(lines[at + 1]) && (isBlank(lines[at - 1]) || /:\s*$/.test(lines[at - 1] ?? ""))

/**
 * Finds the end of the fence around a whole file. The file may contain fences of the same length. A fence line opens an
 * inner fence if it has a language. It also does if it follows a blank line or colon and precedes a text.
 */
export const fileFenceAt = (lines: ReadonlyArray<string>, from: number): InfoFence | undefined => {
  const info = readFence(lines[from] ?? "")?.info
  if (info === undefined) return undefined
  const closing = closingLines(lines, from, true)
  const next = (): number | undefined => closing.next().value ?? undefined
  let end = next()
  while (end !== undefined && looksOpening(lines, end)) {
    const second = next()
    if (second === undefined) break
    const third = looksOpening(lines, second) ? undefined : next()
    if (third === undefined) return { info, end, isUnclear: true }
    end = third
  }
  return { info, end: end ?? lines.length }
}
