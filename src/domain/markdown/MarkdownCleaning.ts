/**
 * Removes text around an answer: byte order mark, carriage returns, thoughts, one fence around everything. Removed
 * lines become empty, so that line numbers stay the same.
 */
import { addRepair, type Findings } from "../findings/Issue.ts"
import { fenceByLine, findFences, Line, readLines } from "./Line.ts"
import { isKnownHeadingText } from "./MarkdownHeadings.ts"

const thinkOpening = /^\s*<(?:think|thinking|thought|reasoning)>/i
const thinkClosing = /<\/(?:think|thinking|thought|reasoning)>/i
const loneClosing = /^\s*<\/(?:think|thinking|thought|reasoning)>/i

export const opensThinking = (line: string): boolean => thinkOpening.test(line)

export const closesThinking = (line: string): boolean => thinkClosing.test(line)

const isThinkingTag = (line: string): boolean => thinkOpening.test(line) || loneClosing.test(line)

type LineTest = (line: Line) => boolean

const isHeading: LineTest = (line) => line.isHeading
const isWritten: LineTest = (line) => !line.isBlank

const replace = (lines: Array<Line>, from: number, to: number, change: (line: string) => string): void => {
  for (let index = from; index < to; index += 1) lines[index] = new Line(change(lines[index]?.text ?? ""))
}

const blank = (lines: Array<Line>, from: number, to: number): void => replace(lines, from, to, () => "")

const firstIndex = (lines: ReadonlyArray<Line>, from: number, test: LineTest): number => {
  let index = from
  for (let line = lines[index]; line !== undefined && !test(line); line = lines[index]) index += 1
  return Math.min(index, lines.length)
}

const removeOpenThinking = (lines: Array<Line>, findings: Findings): void => {
  let from = 0
  while (from < lines.length) {
    const start = firstIndex(
      lines,
      from,
      (line) => opensThinking(line.text) || line.isHeading || line.opening !== undefined
    )
    const line = lines[start]
    if (line === undefined || !opensThinking(line.text)) return
    const end = firstIndex(lines, start, ({ text }) => closesThinking(text))
    const closing = lines[end]?.text
    addRepair(findings, "thinking-removed", { line: start + 1 }, "Removed the model's thoughts before its answer.")
    if (closing === undefined) return blank(lines, start, firstIndex(lines, start, isHeading))
    const tag = thinkClosing.exec(closing)
    blank(lines, start, end)
    lines[end] = new Line(closing.slice((tag?.index ?? 0) + (tag?.[0].length ?? 0)).trimStart())
    from = end
  }
}

/**
 * Removes thoughts before a closing tag whose opening tag the server dropped. A draft of the answer in these thoughts
 * is removed too, because the answer repeats it.
 */
const removeThinkingBeforeLoneTag = (lines: Array<Line>, findings: Findings): void => {
  if (!lines.some(({ text }) => loneClosing.test(text))) return
  const fenced = fenceByLine(findFences(lines, () => false))
  const headings = lines.flatMap((line, index) => (line.isHeading ? [index] : []))
  const drafted = new Set<string>()
  let next = 0
  let end = -1
  for (const [index, line] of lines.entries()) {
    while ((headings[next] ?? Infinity) <= index) next += 1
    if (fenced.has(index)) continue
    if (line.isHeading) drafted.add(line.text.trim())
    if (!loneClosing.test(line.text)) continue
    const own = new Line(line.text.replace(loneClosing, "").trimStart())
    const first = own.isHeading ? own : lines[headings[next] ?? lines.length]
    if (first === undefined || (drafted.size > 0 && !drafted.has(first.text.trim()))) break
    end = index
  }
  if (end < 0) return
  blank(lines, 0, end)
  replace(lines, end, end + 1, (line) => line.replace(loneClosing, "").trimStart())
  addRepair(findings, "thinking-removed", { line: end + 1 }, "Removed the model's thoughts before its answer.")
}

/**
 * Removes a fence around the whole answer. The fence has the language markdown or none, opens before all headings, and
 * contains at least one heading.
 */
const unwrapFence = (lines: Array<Line>, findings: Findings, isPart: LineTest): boolean => {
  const start = lines.findIndex((line) => line.isHeading || line.opening !== undefined || isPart(line))
  const opening = lines[start]?.opening
  if (opening === undefined || !["", "markdown", "md"].includes(opening.info.toLowerCase())) return false
  const inside = lines[firstIndex(lines, start + 1, isWritten)]?.text ?? ""
  if (opening.lead.trim() !== "" || !/^\s*#{1,6}\s/.test(inside)) return false
  blank(lines, start, start + 1)
  addRepair(findings, "fence-unwrapped", { line: start + 1 }, "Read the answer out of the code block around it.")
  const unclosed: Array<number> = []
  findFences(lines, (index) => {
    unclosed.push(index)
    return false
  })
  const end = unclosed.findLast((index) => lines[index]?.closing === opening.mark)
  if (end !== undefined) blank(lines, end, end + 1)
  return true
}

const removeThinking = (lines: Array<Line>, findings: Findings): void => {
  removeOpenThinking(lines, findings)
  removeThinkingBeforeLoneTag(lines, findings)
}

/**
 * Reads an answer into lines. Removes thoughts, and a code fence around the whole answer, and records these repairs in
 * `findings`. `isPart` recognises headings and fields in all forms that models write.
 */
export const cleanLines = (text: string, findings: Findings, isPart: (line: Line) => boolean): ReadonlyArray<Line> => {
  let rest = text
  if (rest.startsWith("\ufeff")) {
    rest = rest.slice(1)
    addRepair(findings, "byte-order-mark", { line: 1 }, "Removed the byte order mark.")
  }
  if (rest.includes("\r")) {
    rest = rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n")
    addRepair(findings, "line-endings", { line: 1 }, "Read carriage returns as line ends.")
  }
  const lines = readLines(rest)
  removeThinking(lines, findings)
  if (unwrapFence(lines, findings, isPart)) removeThinking(lines, findings)
  return lines
}

/** True for a heading of any document, in any form that models write. */
export const isHeadingLine = ({ hashes, text }: Line): boolean =>
  hashes !== undefined || isKnownHeadingText(text.trim().replace(/^(?:\*\*|__)|(?:\*\*|__):?$/g, ""))

/** True for a heading, a field, a fence, a rule, a comment or a tag of thoughts. */
export const isStructural = (line: Line): boolean =>
  !line.isBlank &&
  !/^\s*\\/.test(line.text) &&
  (line.isRule ||
    line.isComment ||
    isThinkingTag(line.text) ||
    line.opening !== undefined ||
    (line.isField && line.label?.match !== "near") ||
    isHeadingLine(line))
