/**
 * Finds the parts of an answer that contain text of files: blocks with marks, and fences below a path. This happens
 * before the answer is cleaned, so a line of a file is never taken for a thought or a quotation.
 */
import { afterBlock, fenceAt, fileFenceAt, isBlank, readFence, readOpen } from "./ChangeMarks.ts"
import { pathOfInfo, pathOfLine } from "./ChangePath.ts"

/** Lines of an answer that belong together, from the index `first` to the index `end` (exclusive). */
export interface AnswerPart {
  readonly first: number
  readonly end: number
}

const thought = /^\s*<(?:think|thinking|thought|reasoning)>/i
const thoughtEnd = /<\/(?:think|thinking|thought|reasoning)>/i
const callEnd = /<\/(?:antml:)?(?:tool_calls?|function_calls?|function|invoke|tool_use|[a-z]+_[a-z_]+)>\s*$/i
const heading = /^ {0,3}#{1,6}\s/
const wrapper = /^(?:markdown|md)?$/i

export interface AnswerLines {
  readonly namesFile?: (line: string) => boolean
  /** True for a line that begins a tool call in the text of the answer. */
  readonly beginsCall?: (line: string) => boolean
}

/**
 * The indexes of the first and last line of a fence around a whole answer. Undefined if no path follows the opening
 * line.
 */
export const wrapperOf = (
  lines: ReadonlyArray<string>,
  namesFile: (line: string) => boolean
): AnswerPart | undefined => {
  const written = lines.flatMap((line, at) => (isBlank(line) ? [] : [at]))
  const [first = 0, path, next] = written
  const last = written.at(-1) ?? 0
  const [opening, closing] = [readFence(lines[first] ?? ""), readFence(lines[last] ?? "")]
  const isWhole = opening !== undefined && wrapper.test(opening.info) && closing?.info === "" && written.length > 4
  if (!isWhole || closing.signs !== opening.signs || path === undefined || next === undefined) return undefined
  const [begins, below] = [lines[path] ?? "", lines[next] ?? ""]
  const isPart = (readFence(below)?.info ?? "") !== "" || readOpen(below) !== undefined
  return namesFile(begins) && isPart ? { first, end: last } : undefined
}

class PartReader {
  readonly parts: Array<AnswerPart> = []
  private readonly lines: ReadonlyArray<string>
  private readonly namesFile: (line: string) => boolean
  private readonly beginsCall: (line: string) => boolean
  private before = ""
  private hasHeading = false

  constructor(
    lines: ReadonlyArray<string>,
    { beginsCall = () => false, namesFile = (line) => pathOfLine(line) !== undefined }: AnswerLines
  ) {
    this.lines = lines
    this.namesFile = namesFile
    this.beginsCall = beginsCall
  }

  read(): void {
    const around = wrapperOf(this.lines, this.namesFile)
    for (let at = around === undefined ? 0 : around.first + 1; at < (around?.end ?? this.lines.length);) {
      if (heading.test(this.line(at))) this.hasHeading = true
      at = this.readAt(at)
      if (!isBlank(this.line(at - 1))) this.before = this.line(at - 1)
    }
  }

  private line(at: number): string {
    return this.lines[at] ?? ""
  }

  private readAt(at: number): number {
    const after = this.afterSkipped(at)
    if (after !== undefined) return after
    const end = afterBlock(this.lines, at)
    if (end !== undefined) return this.add(at, end)
    const info = readFence(this.line(at))?.info
    return info === undefined ? at + 1 : this.readFence(at, info)
  }

  private add(first: number, end: number): number {
    this.parts.push({ first, end })
    return end
  }

  private next(from: number, pattern: RegExp): number {
    const at = this.lines.findIndex((line, index) => index >= from && pattern.test(line))
    return at < 0 ? this.lines.length : at
  }

  /**
   * The index after a thought or tool call that begins on this line, if any. Thoughts and tool calls contain no parts.
   */
  private afterSkipped(at: number): number | undefined {
    const isThought = !this.hasHeading && thought.test(this.line(at))
    if (!isThought && !this.beginsCall(this.line(at))) return undefined
    const last = this.next(at, isThought ? thoughtEnd : callEnd)
    if (last < this.lines.length) return last + 1
    return isThought ? Math.max(at + 1, this.next(at, heading)) : last
  }

  private readFence(at: number, info: string): number {
    const isFile = this.namesFile(this.before) || pathOfInfo(info)?.isTitle === true
    const inside = this.line(this.next(at + 1, /\S/))
    if (!isFile && !this.hasHeading && wrapper.test(info) && /^\s*#{1,6}\s/.test(inside)) return at + 1
    const fence = isFile ? fileFenceAt(this.lines, at) : fenceAt(this.lines, at)
    const end = Math.min((fence?.end ?? at) + 1, this.lines.length)
    if (isFile) return this.add(at, end)
    for (let index = at + 1; index < end;) {
      const after = afterBlock(this.lines, index)
      index = after !== undefined && after <= end ? this.add(index, after) : index + 1
    }
    return end
  }
}

export const changeParts = (answer: string, lines: AnswerLines = {}): ReadonlyArray<AnswerPart> => {
  const reader = new PartReader(answer.split(/\r\n|\n/), lines)
  reader.read()
  return reader.parts
}

const cover = /^([ \t]*)\ue000(\d+)\ue001$/

/**
 * Replaces the lines of all parts with placeholders, so that cleaning does not touch the parts. `restore` puts the
 * lines back. If cleaning has removed indentation from a placeholder, its line loses the same indentation.
 */
export const withCoveredParts = (answer: string, parts: ReadonlyArray<AnswerPart>) => {
  const lines = answer.split("\n")
  const covered = new Set(parts.flatMap(({ end, first }) => Array.from({ length: end - first }, (_, at) => first + at)))
  const text = lines.map((line, at) =>
    covered.has(at) && !isBlank(line) ? `${/^[ \t]*/.exec(line)?.[0]}\ue000${at}\ue001` : line
  )
  const restore = (cleaned: string): string =>
    cleaned
      .split("\n")
      .map((line) => {
        const [, indent = "", at = ""] = cover.exec(line) ?? []
        const own = (lines[Number(at)] ?? "").replace(/\r$/, "")
        const taken = (/^[ \t]*/.exec(own)?.[0].length ?? 0) - indent.length
        return at === "" ? line : own.slice(Math.max(0, taken))
      })
      .join("\n")
  return { text: text.join("\n"), restore }
}
