/**
 * The fenced blocks of a text, found in one pass over its lines, with a rule for those that nothing closes.
 */
import type { Line } from "./Line.ts"
import { dedent } from "./MarkdownLines.ts"

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
  /** All lines, the fence lines too. */
  readonly source: ReadonlyArray<Line>
}

interface Closing {
  readonly index: number
  readonly mark: string
  readonly indent: number
}

type LineTest = (line: Line) => boolean

/** For each position the next one, from there on, of a line that passes the test; one entry more than lines. */
const nextLine = (lines: ReadonlyArray<Line>, test: LineTest): ReadonlyArray<number> => {
  const table: Array<number> = Array.from({ length: lines.length + 1 }, () => Infinity)
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]
    table[index] = line !== undefined && test(line) ? index : (table[index + 1] ?? Infinity)
  }
  return table
}

/** Tells whether a fence that starts on a line and ends on another swallowed structure and then the start of a block. */
const swallows = (lines: ReadonlyArray<Line>, isStructure: LineTest) => {
  let structure: ReadonlyArray<number> | undefined
  let openings: ReadonlyArray<number> | undefined
  return (first: number, last: number, mark: string): boolean => {
    openings ??= nextLine(lines, ({ opening }) => opening !== undefined && opening.info !== "")
    if ((openings[first + 1] ?? Infinity) >= last) return false
    structure ??= nextLine(lines, isStructure)
    const inside = structure[first + 1] ?? Infinity
    const opening = inside >= last ? Infinity : (openings[inside + 1] ?? Infinity)
    return opening < last && lines[opening]?.opening?.mark.startsWith(mark) === true
  }
}

/**
 * Finds the fenced blocks. `staysOpen` decides about one that nothing closes: true makes a block of all that follows,
 * false makes the opening line ordinary text. A block that holds structure of the document (`isStructure`) and after it
 * the start of another block counts as never closed: its end belongs to the other one.
 */
export const findFences = (
  lines: ReadonlyArray<Line>,
  staysOpen: (opening: number) => boolean,
  isStructure: LineTest = () => false
): ReadonlyArray<Fence> => {
  const swallowsStructure = swallows(lines, isStructure)
  const fences: Array<Fence> = []
  const closings: ReadonlyArray<Closing> = lines.flatMap(({ closing, indent }, index) =>
    closing === undefined ? [] : [{ index, mark: closing, indent }]
  )
  // What was not found from an earlier line is not found from a later one: keeps the search linear.
  const hopeless: Array<{ readonly sign: string; readonly length: number; readonly indent: number }> = []
  let next = 0
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line?.opening === undefined) continue
    const { info, lead, mark } = line.opening
    const indent = line.bullets.content
    const sign = mark.charAt(0)
    while ((closings[next]?.index ?? Infinity) <= index) next += 1
    const known = hopeless.some((one) => one.sign === sign && one.length <= mark.length && one.indent >= indent)
    const closes = (one: Closing): boolean => one.mark.startsWith(mark) && one.indent <= indent + 3
    let candidate = next
    let closing = known ? undefined : closings[candidate]
    while (closing !== undefined && !closes(closing)) closing = closings[(candidate += 1)]
    if (closing === undefined && !known) hopeless.push({ sign, length: mark.length, indent })
    const isReal = (closing !== undefined && !swallowsStructure(index, closing.index, mark)) || staysOpen(index)
    if (!isReal) continue
    const last = closing?.index ?? lines.length - 1
    const end = closing === undefined ? lines.findLastIndex(({ isBlank }) => !isBlank) + 1 : last
    const inside = lines.slice(index + 1, Math.max(index + 1, end))
    fences.push({
      first: index,
      last,
      closed: closing !== undefined,
      indent,
      language: info,
      lead,
      text: inside.map(({ text }) => dedent(text, indent)).join("\n"),
      source: lines.slice(index, last + 1)
    })
    index = last
  }
  return fences
}

/** A table from line index to the fence that covers it. */
export const fenceByLine = (fences: ReadonlyArray<Fence>): ReadonlyMap<number, Fence> => {
  const table = new Map<number, Fence>()
  for (const fence of fences) for (let index = fence.first; index <= fence.last; index += 1) table.set(index, fence)
  return table
}
