/**
 * The fenced blocks of a text, found in one pass over its lines, with a rule for those that nothing closes.
 */
import { dedent, indentOf, isBlank, readBullets } from "./MarkdownLines.ts"

/** A fenced block. Indexes are 0-based positions in the lines it was found in. */
export interface Fence {
  readonly first: number
  /** The closing line, or the last line when nothing closes it. */
  readonly last: number
  readonly closed: boolean
  /** The column of the fence itself. */
  readonly indent: number
  readonly language: string
  /** What stands before the fence on its line: indentation, list markers, a bold label. */
  readonly lead: string
  /** The content without the indentation of the fence. */
  readonly text: string
  /** All lines as they stand, the fence lines too. */
  readonly source: ReadonlyArray<string>
}

interface Opening {
  readonly mark: string
  readonly lead: string
  readonly info: string
}

const boldLabel = /^(?:\*\*[^*]{1,60}\*\*|__[^_]{1,60}__):?\s*/

/** The fence that opens on this line, if any; also after list markers and after one bold label. */
export const openingOf = (line: string): Opening | undefined => {
  if (!line.includes("```") && !line.includes("~~~")) return undefined
  const { rest } = readBullets(line)
  const body = rest.replace(boldLabel, "")
  const mark = /^(?:`{3,}|~{3,})/.exec(body)?.[0]
  if (mark === undefined) return undefined
  const info = body.slice(mark.length)
  if (mark.startsWith("`") && info.includes("`")) return undefined
  return { mark, lead: line.slice(0, line.length - body.length), info: info.trim() }
}

const closingMark = (line: string): string | undefined => {
  const mark = line.trim()
  return /^(?:`{3,}|~{3,})$/.test(mark) ? mark : undefined
}

interface Closing {
  readonly index: number
  readonly mark: string
  readonly indent: number
}

const closes = (closing: Closing | undefined, mark: string, indent: number): boolean =>
  closing !== undefined && closing.mark.startsWith(mark) && closing.indent <= indent + 3

/** Tells whether a fence that starts on a line and ends on another swallowed structure and then the start of a block. */
const swallows = (lines: ReadonlyArray<string>, isStructure: (line: string) => boolean) => {
  const next = (test: (line: string) => boolean): ReadonlyArray<number> => {
    const table: Array<number> = Array.from({ length: lines.length + 1 }, () => Infinity)
    for (let index = lines.length - 1; index >= 0; index -= 1) {
      table[index] = test(lines[index] ?? "") ? index : (table[index + 1] ?? Infinity)
    }
    return table
  }
  let structure: ReadonlyArray<number> | undefined
  let openings: ReadonlyArray<number> | undefined
  return (first: number, last: number, mark: string): boolean => {
    openings ??= next((line) => (openingOf(line)?.info ?? "") !== "")
    if ((openings[first + 1] ?? Infinity) >= last) return false
    structure ??= next(isStructure)
    const inside = structure[first + 1] ?? Infinity
    const opening = inside >= last ? Infinity : (openings[inside + 1] ?? Infinity)
    return opening < last && (openingOf(lines[opening] ?? "")?.mark.startsWith(mark) ?? false)
  }
}

/**
 * Finds the fenced blocks. `staysOpen` decides about one that nothing closes: true makes a block of all that follows,
 * false makes the opening line ordinary text. A block that holds structure of the document (`isStructure`) and after it
 * the start of another block counts as never closed: its end belongs to the other one.
 */
export const findFences = (
  lines: ReadonlyArray<string>,
  staysOpen: (opening: number) => boolean,
  isStructure: (line: string) => boolean = () => false
): ReadonlyArray<Fence> => {
  const swallowsStructure = swallows(lines, isStructure)
  const fences: Array<Fence> = []
  const closings = lines.flatMap((line, index): ReadonlyArray<Closing> => {
    const mark = closingMark(line)
    return mark === undefined ? [] : [{ index, mark, indent: indentOf(line) }]
  })
  // What was not found from an earlier line is not found from a later one: keeps the search linear.
  const hopeless: Array<{ readonly sign: string; readonly length: number; readonly indent: number }> = []
  let next = 0
  let index = 0
  while (index < lines.length) {
    const opening = openingOf(lines[index] ?? "")
    if (opening === undefined) {
      index += 1
      continue
    }
    const { mark, lead, info } = opening
    const indent = readBullets(`${lead}x`).content
    const sign = mark.charAt(0)
    while ((closings[next]?.index ?? Infinity) <= index) next += 1
    const known = hopeless.some((h) => h.sign === sign && h.length <= mark.length && h.indent >= indent)
    let candidate = known ? closings.length : next
    while (candidate < closings.length && !closes(closings[candidate], mark, indent)) candidate += 1
    const closing = closings[candidate]
    if (closing === undefined && !known) hopeless.push({ sign, length: mark.length, indent })
    const isReal =
      closing === undefined ? staysOpen(index) : !swallowsStructure(index, closing.index, mark) || staysOpen(index)
    if (!isReal) {
      index += 1
      continue
    }
    const last = closing?.index ?? lines.length - 1
    const end = closing === undefined ? lines.findLastIndex((line) => !isBlank(line)) + 1 : last
    const inside = lines.slice(index + 1, Math.max(index + 1, end))
    fences.push({
      first: index,
      last,
      closed: closing !== undefined,
      indent,
      language: info,
      lead,
      text: inside.map((line) => dedent(line, indent)).join("\n"),
      source: lines.slice(index, last + 1)
    })
    index = last + 1
  }
  return fences
}

/** A table from line index to the fence that covers it. */
export const fenceByLine = (fences: ReadonlyArray<Fence>): ReadonlyMap<number, Fence> => {
  const table = new Map<number, Fence>()
  for (const fence of fences) for (let index = fence.first; index <= fence.last; index += 1) table.set(index, fence)
  return table
}
