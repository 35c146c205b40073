/**
 * The lines of a document and its fenced blocks. Each line is classified once: as a heading, a fence, a list item or a
 * field of a task. All readers share the result.
 */
import { type Bullets, type LabelledLine, readLabel } from "./TaskFields.ts"

const [tab, space, hardSpace] = [0x09, 0x20, 0xa0]

const indentOf = (line: string): number => {
  let column = 0
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index)
    if (code === tab) column += 4 - (column % 4)
    else if (code === space || code === hardSpace) column += 1
    else break
  }
  return column
}

/** Removes the indentation of a line, up to `columns` columns. */
export const dedent = (line: string, columns: number): string => {
  let column = 0
  let index = 0
  while (index < line.length && column < columns) {
    const character = line[index]
    if (character === "\t") {
      const width = 4 - (column % 4)
      if (column + width > columns) return " ".repeat(column + width - columns) + line.slice(index + 1)
      column += width
    } else if (character === " " || character === "\u00a0") column += 1
    else break
    index += 1
  }
  return line.slice(index)
}

const isRule = (line: string): boolean => /^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)

const isComment = (line: string): boolean => {
  if (!line.includes("<!--")) return false
  const text = line.trim()
  return text.startsWith("<!--") && text.indexOf("-->") === text.length - 3
}

const bullet = /^(?:[-*+•–]|\d{1,9}[.)])(?=\s|$)/

/** Reads the list markers of a line. A task box (`[ ]`, `[x]`) belongs to the marker. */
const readBullets = (line: string): Bullets => {
  const indent = indentOf(line)
  let rest = line.trimStart()
  let content = indent
  let marker: Bullets["marker"] = "none"
  for (let found = bullet.exec(rest); found !== null; found = bullet.exec(rest)) {
    if (isRule(rest)) break
    const [mark] = found
    marker = /\d/.test(mark) ? "number" : "bullet"
    const after = rest.slice(mark.length)
    const gap = indentOf(after)
    rest = after.trimStart()
    content += mark.length + (rest === "" || gap > 4 ? 1 : gap)
  }
  if (marker !== "none") rest = rest.replace(/^\[[ xX]\]\s+/, "")
  // A struck-through field is still a field, so the strikethrough is removed.
  if (marker !== "none") rest = rest.replace(/^~~(?!~)(\*\*.+?)~~\s*$/, "$1")
  return { indent, content, marker, rest }
}

/** The heading of a line such as `## Tasks`. */
interface HashHeading {
  readonly depth: number
  readonly text: string
}

/** Reads a heading with one to six hashes. Closing hashes are dropped. */
const readHashes = (line: string): HashHeading | undefined => {
  const trimmed = line.trim()
  if (!trimmed.startsWith("#")) return undefined
  const depth = /^#{1,6}(?!#)/.exec(trimmed)?.[0].length
  if (depth === undefined) return undefined
  const rest = trimmed.slice(depth)
  if (rest !== "" && !/^\s/.test(rest)) return undefined
  const text = rest.trim()
  let end = text.length
  while (end > 0 && text[end - 1] === "#") end -= 1
  const closed = end === 0 || (end < text.length && /\s/.test(text[end - 1] ?? ""))
  return { depth, text: closed ? text.slice(0, end).trim() : text }
}

interface Opening {
  readonly mark: string
  /** The text before the fence: indentation, list markers, a bold label. */
  readonly lead: string
  readonly info: string
}

const boldLabel = /^(?:\*\*[^*]{1,60}\*\*|__[^_]{1,60}__):?\s*/

export class Line {
  readonly text: string
  /** The column of the first character that is not blank. */
  readonly indent: number
  readonly isBlank: boolean
  readonly hashes: HashHeading | undefined
  /** The fence characters, if the line contains nothing else. Such a line can close a code block. */
  readonly closing: string | undefined
  /** The fence that opens on this line, also after list markers and a bold label. */
  readonly opening: Opening | undefined
  #bullets: Bullets | undefined
  #label: LabelledLine | "none" | undefined

  constructor(text: string) {
    const trimmed = text.trim()
    this.text = text
    this.indent = indentOf(text)
    this.isBlank = trimmed === ""
    this.hashes = readHashes(trimmed)
    const hasFence = text.includes("```") || text.includes("~~~")
    this.closing = hasFence && /^(?:`{3,}|~{3,})$/.test(trimmed) ? trimmed : undefined
    this.opening = hasFence ? this.#readOpening() : undefined
  }

  /** The list markers at the beginning of the line, and the text after them. */
  get bullets(): Bullets {
    this.#bullets ??= readBullets(this.text)
    return this.#bullets
  }

  /** The label of the field that begins here, if any. After a list marker, any bold label counts. */
  get label(): LabelledLine | undefined {
    this.#label ??= readLabel(this.bullets) ?? "none"
    return this.#label === "none" ? undefined : this.#label
  }

  get isField(): boolean {
    return this.label?.key !== undefined
  }

  /** True for a heading with hashes, by the rules of CommonMark. */
  get isHeading(): boolean {
    return this.indent <= 3 && this.hashes !== undefined
  }

  /** True for a thematic break: `---`, `***`, `___`. */
  get isRule(): boolean {
    return isRule(this.text)
  }

  /** True for a line with one `<!-- comment -->` and nothing else. */
  get isComment(): boolean {
    return isComment(this.text)
  }

  #readOpening(): Opening | undefined {
    const body = this.bullets.rest.replace(boldLabel, "")
    const mark = /^(?:`{3,}|~{3,})/.exec(body)?.[0]
    if (mark === undefined) return undefined
    const info = body.slice(mark.length)
    if (mark.startsWith("`") && info.includes("`")) return undefined
    return { mark, lead: this.text.slice(0, this.text.length - body.length), info: info.trim() }
  }
}

export const readLines = (text: string): Array<Line> => text.split("\n").map((line) => new Line(line))

/** A fenced block. `first` and `last` are positions in the searched lines, from 0. */
export interface Fence {
  readonly first: number
  /** The line that closes the block. For an unclosed block, its last line. */
  readonly last: number
  readonly closed: boolean
  readonly indent: number
  readonly language: string
  readonly lead: string
  /** The content without the indentation of the fence. */
  readonly text: string
  /** All lines of the block, including the fences. */
  readonly source: ReadonlyArray<Line>
}

type LineTest = (line: Line) => boolean

/**
 * For each position, the index of the first line at or after it that passes the test. `Infinity` if no line passes. The
 * result has one entry more than `lines`.
 */
const nextLine = (lines: ReadonlyArray<Line>, test: LineTest): ReadonlyArray<number> => {
  const table: Array<number> = Array.from({ length: lines.length + 1 }, () => Infinity)
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]
    table[index] = line !== undefined && test(line) ? index : (table[index + 1] ?? Infinity)
  }
  return table
}

/**
 * Makes a test for fences whose closing line may belong to another block. The block of such a fence contains a heading
 * or a field. Further below, it contains the opening line of a second fence.
 */
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
 * Finds the fenced blocks.
 * - If a fence is unclosed, `staysOpen` decides: true makes a block of the rest of the text, false makes the fence
 *   ordinary text.
 * - A fence also counts as unclosed if its block contains document structure (`isStructure`) and, further below, the
 *   opening line of a second fence. In this case, the closing line belongs to the second fence.
 */
export const findFences = (
  lines: ReadonlyArray<Line>,
  staysOpen: (opening: number) => boolean,
  isStructure: LineTest = () => false
): ReadonlyArray<Fence> => {
  if (lines.every(({ opening }) => opening === undefined)) return []
  const swallowsStructure = swallows(lines, isStructure)
  const fences: Array<Fence> = []
  const closings = lines.flatMap(({ closing: mark, indent }, index) =>
    mark === undefined ? [] : [{ index, mark, indent }]
  )
  // Unclosed fences. A later fence with the same signs is not closed either, so it needs no search.
  const unclosed: Array<{ readonly sign: string; readonly length: number; readonly indent: number }> = []
  let next = 0
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line?.opening === undefined) continue
    const { info, lead, mark } = line.opening
    const indent = line.bullets.content
    const sign = mark.charAt(0)
    while ((closings[next]?.index ?? Infinity) <= index) next += 1
    const isUnclosed = unclosed.some((one) => one.sign === sign && one.length <= mark.length && one.indent >= indent)
    let candidate = next
    let closing = isUnclosed ? undefined : closings[candidate]
    while (closing !== undefined && !(closing.mark.startsWith(mark) && closing.indent <= indent + 3))
      closing = closings[(candidate += 1)]
    if (closing === undefined && !isUnclosed) unclosed.push({ sign, length: mark.length, indent })
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

/** The fence around each line, by index. */
export const fenceByLine = (fences: ReadonlyArray<Fence>): ReadonlyMap<number, Fence> => {
  const table = new Map<number, Fence>()
  for (const fence of fences) for (let index = fence.first; index <= fence.last; index += 1) table.set(index, fence)
  return table
}
