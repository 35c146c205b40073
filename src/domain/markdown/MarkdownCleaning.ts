/**
 * Removes what surrounds an answer: byte order mark, carriage returns, thinking, one fence around everything, a quote
 * or an indentation of every line. Removed lines stay as empty lines, so line numbers remain those of the original
 * text.
 */
import { looseMark } from "../files/ChangeMarks.ts"
import { addRepair, type Findings } from "../findings/Issue.ts"
import { dedent, fenceByLine, findFences, Line, readLines } from "./Line.ts"
import { isKnownHeadingText } from "./MarkdownHeadings.ts"

const thinkOpening = /^\s*<(?:think|thinking|thought|reasoning)>/i
const thinkClosing = /<\/(?:think|thinking|thought|reasoning)>/i
const loneClosing = /^\s*<\/(?:think|thinking|thought|reasoning)>/i

/** True for a line on which thoughts begin. */
export const opensThinking = (line: string): boolean => thinkOpening.test(line)

/** True for a line on which thoughts end. */
export const closesThinking = (line: string): boolean => thinkClosing.test(line)

/** True for a line that the removal of thinking looks at. */
const isThinkingTag = (line: string): boolean => thinkOpening.test(line) || loneClosing.test(line)

type LineTest = (line: Line) => boolean

const isHeading: LineTest = (line) => line.isHeading
const isWritten: LineTest = (line) => !line.isBlank
const isQuoted: LineTest = ({ text }) => /^ {0,3}>/.test(text)

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
    addRepair(findings, "thinking-removed", { line: start + 1 }, "Removed what the model thought before its answer.")
    if (closing === undefined) return blank(lines, start, firstIndex(lines, start, isHeading))
    const tag = thinkClosing.exec(closing)
    blank(lines, start, end)
    lines[end] = new Line(closing.slice((tag?.index ?? 0) + (tag?.[0].length ?? 0)).trimStart())
    from = end
  }
}

/** Some servers drop the opening tag and leave thoughts, then `</think>`; a draft in them is repeated in the answer. */
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
  addRepair(findings, "thinking-removed", { line: end + 1 }, "Removed what the model thought before its answer.")
}

/** True for a line that belongs to the document; the second line is the one after it. */
export type IsPart = (line: Line, next: Line | undefined) => boolean

/** A fence of type markdown, or of no type, that starts before any heading and holds headings, is a wrapper. */
const unwrapFence = (lines: Array<Line>, findings: Findings, isPart: IsPart): boolean => {
  const start = lines.findIndex(
    (line, index) => line.isHeading || line.opening !== undefined || isPart(line, lines[index + 1])
  )
  const opening = lines[start]?.opening
  if (opening === undefined || !["", "markdown", "md"].includes(opening.info.toLowerCase())) return false
  const inside = lines[firstIndex(lines, start + 1, isWritten)]?.text ?? ""
  if (opening.lead.trim() !== "" || !/^\s*>?\s*#{1,6}\s/.test(inside)) return false
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

/** The end of a run of lines that pass a test or are blank, without the blank ones at its end. */
const endOfRun = (lines: ReadonlyArray<Line>, from: number, test: LineTest): number => {
  let end = firstIndex(lines, from, (line) => !line.isBlank && !test(line))
  while (end > from && lines[end - 1]?.isBlank === true) end -= 1
  return end
}

/** Everything from the first heading on is quoted; text before and after need not be. */
const unwrapQuote = (lines: Array<Line>, findings: Findings): boolean => {
  const first = firstIndex(lines, 0, (line) => line.isHeading || /^ {0,3}> {0,3}#{1,6}\s/.test(line.text))
  const isAll = lines.every((line) => line.isBlank || isQuoted(line))
  const start = isAll ? firstIndex(lines, 0, isWritten) : first
  const end = endOfRun(lines, start, isQuoted)
  const [heading, line] = [lines[first], lines[start]]
  const isWhole = heading !== undefined && isQuoted(heading) && firstIndex(lines, end, isHeading) === lines.length
  if (end - start < 2 || !(isWhole || isAll) || line === undefined || !isQuoted(line)) return false
  addRepair(findings, "quote-unwrapped", { line: start + 1 }, "Removed the quote marks before every line.")
  replace(lines, start, end, (text) => text.replace(/^ {0,3}> ?/, ""))
  return true
}

/** Everything from the first heading on is indented; text before and after need not be. A comment in code is no heading. */
const unwrapIndentation = (lines: Array<Line>, findings: Findings, isPart: IsPart): boolean => {
  const whole = lines.reduce((least, { indent, isBlank }) => (isBlank ? least : Math.min(least, indent)), Infinity)
  const heading = firstIndex(lines, 0, ({ hashes, opening }) => hashes?.spaced === true || opening !== undefined)
  const start = whole > 0 ? 0 : Math.min(heading, lines.length - 1)
  const indent = whole > 0 ? whole : (lines[heading]?.indent ?? 0)
  if (indent === Infinity || indent === 0) return false
  if (whole === 0 && (indent < 4 || lines[start]?.opening !== undefined)) return false
  const end = whole > 0 ? lines.length : endOfRun(lines, start, (line) => line.indent >= indent)
  if (firstIndex(lines, end, isHeading) < lines.length) return false
  if (whole === 0 && !lines.slice(start, end).some((line, index) => isPart(line, lines[start + index + 1])))
    return false
  if (lines.some(({ indent: own, text }) => own < indent && looseMark.test(text))) return false
  addRepair(findings, "indentation-removed", { line: start + 1 }, "Removed the indentation of every line.")
  replace(lines, start, end, (text) => dedent(text, indent))
  return true
}

/** Removes layers as long as one is found, at most four: they may enclose each other. */
const removeAll = (findings: Findings, layers: () => void): void => {
  for (let depth = 0; depth < 4; depth += 1) {
    const before = findings.repairs.length
    layers()
    if (findings.repairs.length === before) return
  }
}

/** Quotes, indentation and thoughts around each other. */
const unwrapLayers = (lines: Array<Line>, findings: Findings, isPart: IsPart): void =>
  removeAll(findings, () => {
    removeAll(findings, () => unwrapQuote(lines, findings) || unwrapIndentation(lines, findings, isPart))
    removeOpenThinking(lines, findings)
    removeThinkingBeforeLoneTag(lines, findings)
  })

/** The lines of the answer itself; `isPart` knows the headings and fields of the document in all their forms. */
export const cleanLines = (text: string, findings: Findings, isPart: IsPart): ReadonlyArray<Line> => {
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
  unwrapLayers(lines, findings, isPart)
  if (unwrapFence(lines, findings, isPart)) unwrapLayers(lines, findings, isPart)
  return lines
}

/** True for a line that is a heading of some document, in whatever form. */
export const isHeadingLine = ({ hashes, text }: Line): boolean =>
  hashes !== undefined || isKnownHeadingText(text.trim().replace(/^(?:\*\*|__)|(?:\*\*|__):?$/g, ""))

/** True for a heading, a field, a fence, a rule, a comment or a tag of thoughts; a backslash before it makes it text. */
export const isStructural = (line: Line): boolean =>
  !line.isBlank &&
  !/^\s*\\/.test(line.text) &&
  (line.isRule ||
    line.isComment ||
    isThinkingTag(line.text) ||
    line.opening !== undefined ||
    (line.isField && line.label?.match !== "near") ||
    isHeadingLine(line))
