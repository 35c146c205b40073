/**
 * What surrounds an answer and is not the answer: byte order mark, carriage returns, thinking, one fence around
 * everything, a quote or an indentation of every line. Removed lines stay as empty lines, so line numbers remain those
 * of the text as it came.
 */
import { addRepair, type Findings } from "../findings/IssueCode.ts"
import { fenceByLine, findFences, openingOf } from "./MarkdownFences.ts"
import { dedent, indentOf, isBlank, readHashes } from "./MarkdownLines.ts"

const thinkOpening = /^\s*<(think|thinking|thought|reasoning)>/i
const thinkClosing = /<\/(?:think|thinking|thought|reasoning)>/i
const loneClosing = /^\s*<\/(?:think|thinking|thought|reasoning)>/i

/** True for a line that the removal of thinking looks at. */
export const isThinkingTag = (line: string): boolean => thinkOpening.test(line) || loneClosing.test(line)

const isHeading = (line: string): boolean => indentOf(line) <= 3 && readHashes(line)?.spaced === true

const blank = (lines: Array<string>, from: number, to: number): void => {
  for (let index = from; index < to; index += 1) lines[index] = ""
}

const firstIndex = (lines: ReadonlyArray<string>, from: number, test: (line: string) => boolean): number => {
  for (let index = from; index < lines.length; index += 1) if (test(lines[index] ?? "")) return index
  return lines.length
}

const removeOpenThinking = (lines: Array<string>, findings: Findings): void => {
  let from = 0
  while (from < lines.length) {
    const start = firstIndex(
      lines,
      from,
      (line) => thinkOpening.test(line) || isHeading(line) || openingOf(line) !== undefined
    )
    const line = lines[start]
    if (line === undefined || !thinkOpening.test(line)) return
    const end = firstIndex(lines, start, (text) => thinkClosing.test(text))
    const closing = lines[end]
    addRepair(findings, "thinking-removed", { line: start + 1 }, "Removed what the model thought before its answer.")
    if (closing === undefined) return blank(lines, start, firstIndex(lines, start, isHeading))
    const tag = thinkClosing.exec(closing)
    blank(lines, start, end)
    lines[end] = closing.slice((tag?.index ?? 0) + (tag?.[0].length ?? 0)).trimStart()
    from = end
  }
}

/** Servers that swallow the opening tag leave thoughts, then `</think>`; a draft in them repeats in the answer. */
const removeThinkingBeforeLoneTag = (lines: Array<string>, findings: Findings): void => {
  if (!lines.some((line) => loneClosing.test(line))) return
  const fenced = fenceByLine(findFences(lines, () => false))
  const headings = lines.flatMap((line, index) => (isHeading(line) ? [index] : []))
  const drafted = new Set<string>()
  let next = 0
  let end = -1
  for (const [index, line] of lines.entries()) {
    while ((headings[next] ?? Infinity) <= index) next += 1
    if (fenced.has(index)) continue
    if (isHeading(line)) drafted.add(line.trim())
    if (!loneClosing.test(line)) continue
    const own = line.replace(loneClosing, "").trimStart()
    const first = isHeading(own) ? own : lines[headings[next] ?? lines.length]
    if (first === undefined || (drafted.size > 0 && !drafted.has(first.trim()))) break
    end = index
  }
  if (end < 0) return
  blank(lines, 0, end)
  lines[end] = (lines[end] ?? "").replace(loneClosing, "").trimStart()
  addRepair(findings, "thinking-removed", { line: end + 1 }, "Removed what the model thought before its answer.")
}

const wrappedHeading = /^\s*>?\s*#{1,6}\s/

type IsPart = (line: string, next: string | undefined) => boolean

/** A fence of type markdown, or of no type, that starts before any heading and holds headings, is a wrapper. */
const unwrapFence = (lines: Array<string>, findings: Findings, isPart: IsPart): boolean => {
  const start = lines.findIndex(
    (line, index) => isHeading(line) || openingOf(line) !== undefined || isPart(line, lines[index + 1])
  )
  const opening = openingOf(lines[start] ?? "")
  if (opening === undefined || !["", "markdown", "md"].includes(opening.info.toLowerCase())) return false
  if (
    opening.lead.trim() !== "" ||
    !wrappedHeading.test(lines[firstIndex(lines, start + 1, (line) => !isBlank(line))] ?? "")
  )
    return false
  lines[start] = ""
  addRepair(findings, "fence-unwrapped", { line: start + 1 }, "Read the answer out of the code block around it.")
  const unclosed: Array<number> = []
  findFences(lines, (index) => {
    unclosed.push(index)
    return false
  })
  const end = unclosed.findLast((index) => (lines[index] ?? "").trim() === opening.mark)
  if (end !== undefined) lines[end] = ""
  return true
}

const quotedHeading = /^ {0,3}> {0,3}#{1,6}\s/
const quoted = /^ {0,3}>/

/** The end of a run of lines that pass a test or are blank, without the blank ones at its end. */
const endOfRun = (lines: ReadonlyArray<string>, from: number, test: (line: string) => boolean): number => {
  let end = firstIndex(lines, from, (line) => !isBlank(line) && !test(line))
  while (end > from && isBlank(lines[end - 1] ?? "")) end -= 1
  return end
}

/** Everything from the first heading on is quoted; talk before and after need not be. */
const unwrapQuote = (lines: Array<string>, findings: Findings): boolean => {
  const first = firstIndex(lines, 0, (line) => isHeading(line) || quotedHeading.test(line))
  const isAll = lines.every((line) => isBlank(line) || quoted.test(line))
  const start = isAll ? firstIndex(lines, 0, (line) => !isBlank(line)) : first
  const end = endOfRun(lines, start, (line) => quoted.test(line))
  const isWhole =
    first < lines.length && quoted.test(lines[first] ?? "") && firstIndex(lines, end, isHeading) === lines.length
  if (end - start < 2 || !(isWhole || isAll) || !quoted.test(lines[start] ?? "")) return false
  addRepair(findings, "quote-unwrapped", { line: start + 1 }, "Removed the quote marks before every line.")
  for (let index = start; index < end; index += 1) lines[index] = (lines[index] ?? "").replace(/^ {0,3}> ?/, "")
  return true
}

/** Everything from the first heading on is indented; talk before and after need not be. */
const unwrapIndentation = (lines: Array<string>, findings: Findings): boolean => {
  const least = (from: number): number =>
    lines.slice(from).reduce((indent, line) => (isBlank(line) ? indent : Math.min(indent, indentOf(line))), Infinity)
  const whole = least(0)
  const heading = firstIndex(lines, 0, (line) => readHashes(line)?.spaced === true || openingOf(line) !== undefined)
  const start = whole > 0 ? 0 : Math.min(heading, lines.length - 1)
  const indent = whole > 0 ? whole : indentOf(lines[heading] ?? "")
  if (indent === Infinity || indent === 0) return false
  if (whole === 0 && (indent < 4 || openingOf(lines[start] ?? "") !== undefined)) return false
  const end = whole > 0 ? lines.length : endOfRun(lines, start, (line) => indentOf(line) >= indent)
  if (firstIndex(lines, end, isHeading) < lines.length) return false
  addRepair(findings, "indentation-removed", { line: start + 1 }, "Removed the indentation of every line.")
  for (let index = start; index < end; index += 1) lines[index] = dedent(lines[index] ?? "", indent)
  return true
}

/** Marks around every line, also several around each other. */
const unwrapLines = (lines: Array<string>, findings: Findings): void => {
  for (let depth = 0; depth < 4; depth += 1) {
    if (!unwrapQuote(lines, findings) && !unwrapIndentation(lines, findings)) return
  }
}

/** Quotes, indentation and thoughts around each other, until nothing is left to take off. */
const unwrapLayers = (lines: Array<string>, findings: Findings): void => {
  for (let depth = 0; depth < 4; depth += 1) {
    const before = findings.repairs.length
    unwrapLines(lines, findings)
    removeOpenThinking(lines, findings)
    removeThinkingBeforeLoneTag(lines, findings)
    if (findings.repairs.length === before) return
  }
}

/** The lines of the answer itself; `isPart` knows the headings and fields of the document in all their forms. */
export const cleanLines = (text: string, findings: Findings, isPart: IsPart = () => false): ReadonlyArray<string> => {
  let rest = text
  if (rest.startsWith("\ufeff")) {
    rest = rest.slice(1)
    addRepair(findings, "byte-order-mark", { line: 1 }, "Removed the byte order mark.")
  }
  if (rest.includes("\r")) {
    rest = rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n")
    addRepair(findings, "line-endings", { line: 1 }, "Read carriage returns as line ends.")
  }
  const lines = rest.split("\n")
  unwrapLayers(lines, findings)
  if (unwrapFence(lines, findings, isPart)) unwrapLayers(lines, findings)
  return lines
}
