/**
 * The lines of an answer that mark its parts: where a block with its three marks begins and ends, and where a fence does.
 */
import type { IssueCode } from "../findings/Issue.ts"
import { pathOfLine } from "./ChangePath.ts"

/** The marks of a block as they are asked for. */
export const changeMarks = { open: "<<<<<<< OLD", middle: "=======", close: ">>>>>>> NEW" } as const

const openMark = /^(\s*)(<{5,9})(?!<)\s*(?:(OLD|SEARCH|ORIGINAL)\b)?:?\s*(.*)$/i
const middleMark = /^\s*(={5,9})\s*(?:NEW|REPLACE|UPDATED)?:?\s*$/i
const closeMark = /^\s*(>{5,9})\s*(?:(?:NEW|REPLACE|UPDATED)\b.*)?$/i
/** A mark that is no part of a block: alone, or with another number of signs. */
export const looseMark = /^\s*(?:<{3,}\s*(?:OLD|SEARCH|ORIGINAL)|>{3,}\s*(?:NEW|REPLACE|UPDATED))\b/i
const fenceMark = /^[ \t]*(`{3,}|~{3,})([^`]*)$/
/** Reads the line with which a fence begins or ends. */
export const readFence = (line: string): { readonly signs: string; readonly info: string } | undefined => {
  const [, signs = "", info = ""] = fenceMark.exec(line) ?? []
  return signs === "" ? undefined : { signs, info: info.trim() }
}

/** The heading of a report. */
export const report = /^#{1,6}\s+(?:\*\*)?result summary\b/i

/** The first mark of a block. */
export interface OpenMark {
  readonly indent: string
  readonly length: number
  readonly path: string | undefined
}

/** Reads the first mark of a block. The marks of a conflict of git have other words. */
export const readOpen = (line: string): OpenMark | undefined => {
  const [, indent = "", signs = "", word, after = ""] = openMark.exec(line) ?? []
  if (signs === "") return undefined
  const path = after === "" ? undefined : pathOfLine(after)?.path
  return word === undefined && after !== "" && path === undefined ? undefined : { indent, length: signs.length, path }
}

const lengthOf = (mark: RegExp, line: string): number => mark.exec(line)?.[1]?.length ?? 0

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** Where the parts of a block are: the indices of its marks, or why it has no end. */
interface Bounds {
  readonly middle: number
  readonly end: number
  readonly problem?: readonly [code: IssueCode, what: string]
}

/**
 * A block that has no end goes to the end of its fence, to the report, or to the next block, whose path and fence do not
 * belong to it.
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
 * Marks of one block have one length, so that a text with marks of another length can stand in it; when there is none of
 * this length, one of another length ends the block.
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

/** The lines without a fence that stands around all of them. */
export const unfenced = (lines: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [first, last] = [readFence(lines[0] ?? ""), readFence(lines.at(-1) ?? "")]
  if (first === undefined || last === undefined || lines.length < 2) return undefined
  return last.info === "" && last.signs === first.signs ? lines.slice(1, -1) : undefined
}

/** A fence by its info string. */
export interface Fence {
  readonly info: string
  /** The index of the line that closes it; the number of lines when none does. */
  readonly end: number
}

/** Where a fence ends. In markdown a fence with an info string opens another one inside. */
export const fenceAt = (lines: ReadonlyArray<string>, from: number): Fence | undefined => {
  const opening = readFence(lines[from] ?? "")
  if (opening === undefined) return undefined
  const { info, signs } = opening
  const nests = /^(?:markdown|md|mdx)\b/i.test(info)
  let depth = 0
  for (let at = from + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const open = readOpen(line)
    const bounds = open === undefined ? undefined : findBounds(lines, at, open.length)
    if (bounds !== undefined && bounds.problem === undefined) {
      at = bounds.end - 1
      continue
    }
    const inner = readFence(line)
    if (inner === undefined || inner.signs[0] !== signs[0] || inner.signs.length < signs.length) continue
    if (inner.info !== "") depth += nests ? 1 : 0
    else if (depth > 0) depth -= 1
    else return { info, end: at }
  }
  return { info, end: lines.length }
}
