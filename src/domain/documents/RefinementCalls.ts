/**
 * Reads the tool calls of a report: JSON objects in fences under `## Tool Calls`, or a whole answer that is a call.
 * Calls in other places would never run, so each is an issue.
 */
import * as Result from "effect/Result"
import { type Where, addIssue, addRepair, type Findings } from "../findings/Issue.ts"
import type { DocumentReader, SectionSpan } from "../grammar/DocumentReader.ts"
import { excerpt, type TaskLine } from "../grammar/RawTask.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import { type MarkdownSection, textOfLines } from "../markdown/Sections.ts"
import { scanJson } from "../text/Json.ts"
import { holdsCall, isFlatCall, mentionsCall } from "../tools/ToolCallTraces.ts"
import { beginsWithMark, endsInCall, hasMarkedLine, markedCalls, markedParts } from "../tools/MarkedCalls.ts"
import { readCallBlock, type UnnumberedCall } from "../tools/ToolCallFormat.ts"
import { readBlock } from "../tools/ToolCallJson.ts"

const readProse = (text: string, where: Where, findings: Findings): void => {
  if (text.replace(/<\/?(?:tool|function)_call>/g, "").trim() === "") return
  if (!mentionsCall(text)) {
    addRepair(findings, "text-ignored", where, `Ignored text between the tool calls: "${excerpt(text)}".`)
    return
  }
  const what = "There is text that looks like a tool call outside a code block."
  const how = "Put each call as one JSON object into a code block of its own."
  addIssue(findings, "tool-call-json", where, { what, how, quote: text })
}

/** Reads calls between tags or after marks. The tag or mark must begin a line. */
const readMarked = (text: string, where: Where, findings: Findings): ReadonlyArray<UnnumberedCall> => {
  const calls: Array<UnnumberedCall> = []
  for (const part of markedParts(text)) {
    if (part.kind === "text") readProse(part.text, where, findings)
    else calls.push(...readCallBlock(part.json, where, findings))
  }
  return calls
}

/** Reads text outside fences. Lines of JSON are read as calls, and other text as prose. */
const readLoose = (written: string, where: Where, findings: Findings): ReadonlyArray<UnnumberedCall> => {
  const text = written.trim().replace(/^`([^`]+)`$/, "$1")
  const isJson = /^[{[]/.test(text) && !beginsWithMark(text)
  if (!isJson && (!hasMarkedLine(text) || text.includes("<!--"))) {
    readProse(text, where, findings)
    return []
  }
  addRepair(findings, "tool-call-unfenced", where, "Read a tool call that stood outside a code block.")
  if (!isJson) return readMarked(text, where, findings)
  const end = scanJson(text).ends.at(-1) ?? text.length
  const calls = readCallBlock(text.slice(0, end), where, findings)
  readProse(text.slice(end), where, findings)
  return calls
}

/**
 * True if an HTML comment is still open at the end of the text. `before` says whether one was open at its beginning.
 */
const isCommented = (text: string, before: boolean): boolean => {
  const [opened, closed] = [text.lastIndexOf("<!--"), text.lastIndexOf("-->")]
  return opened < 0 && closed < 0 ? before : opened > closed
}

const commented = "A tool call inside a comment would never run."

export const readCalls = (
  { heading: section, line: start }: MarkdownSection,
  lines: ReadonlyArray<TaskLine>,
  findings: Findings
): ReadonlyArray<UnnumberedCall> => {
  const calls: Array<UnnumberedCall> = []
  let loose: Array<string> = []
  let looseLine = start
  let isHidden = false
  const endLoose = (): void => {
    const text = loose.join("\n")
    if (loose.length > 0) calls.push(...readLoose(text, { section, line: looseLine }, findings))
    isHidden = isCommented(text, isHidden)
    loose = []
  }
  for (const block of lines) {
    const { kind, line, text } = block
    if (kind === "fence" || kind === "heading") {
      endLoose()
      const where = { section, line }
      if (kind === "fence" && isHidden) {
        const { text: quote } = block.fence
        if (holdsCall(quote)) addIssue(findings, "tool-call-misplaced", where, { what: commented, quote })
      } else if (kind === "fence") calls.push(...readCallBlock(block.fence.text, where, findings))
      continue
    }
    if (loose.length === 0) looseLine = line
    if (loose.length > 0 || kind !== "blank") loose.push(text)
  }
  endLoose()
  return calls
}

/** A line on which a call without a code block may start. */
const looseStart = /^\s*(?:[-*+]\s+)?`?(?:\{|\[\s*\{|<tool_call>)/

/** The texts of calls in these lines, each with the index of its line. */
const callsIn = (document: MarkdownDocument, { first, last }: SectionSpan) => {
  const callTexts: Array<{ readonly index: number; readonly text: string }> = []
  for (let index = first; index < last; index += 1) {
    const fence = document.fences.get(index)
    if (fence !== undefined) {
      if (holdsCall(fence.text)) callTexts.push({ index, text: fence.text })
      index = fence.last
    } else if (looseStart.test(document.lines[index]?.text ?? "")) {
      let end = index
      while (end < last && !document.fences.has(end) && document.lines[end]?.isBlank === false) end += 1
      const text = textOfLines(document, index, end)
      if (mentionsCall(text)) callTexts.push({ index, text })
      index = end - 1
    }
  }
  return callTexts
}

/**
 * Records an issue for each tool call with a heading inside. The heading splits the call into two parts, and neither
 * part can be read.
 */
export const checkTornCalls = (reader: DocumentReader): void => {
  const { fences, lines, sections } = reader.document
  let first = 0
  for (const { heading, line } of sections) {
    const own = lines.slice(first, line - 1).filter((_, index) => !fences.has(first + index))
    const text = own.map((one) => one.text).join("\n")
    if (endsInCall(text)) {
      const what = `The heading "${heading}" is inside a tool call.`
      reader.issue("tool-call-json", { line }, what, { quote: text })
    }
    first = line
  }
}

/**
 * Records an issue for each call outside the section `calls`. Code blocks under `task` belong to the task, unless the
 * section `calls` is missing.
 */
export const checkMisplacedCalls = (
  reader: DocumentReader,
  task: MarkdownSection | undefined,
  calls: MarkdownSection | undefined
): void => {
  const { document } = reader
  const ignored = reader.ignoreSections(Infinity)
  const preamble = { heading: "", first: 0, last: (document.sections[0]?.line ?? document.lines.length + 1) - 1 }
  const ofTask = task === undefined ? [] : [{ heading: task.heading, first: task.first, last: reader.endOf(task) }]
  const spans =
    calls === undefined ? [preamble, ...ofTask, ...ignored] : ignored.filter((one) => one.first > calls.line)
  for (const span of calls === undefined ? spans : [...ofTask, ...spans]) {
    for (const { index, text } of callsIn(document, span)) {
      if (calls !== undefined && span === ofTask[0] && !beginsWithMark(text)) continue
      const where = { ...(span.heading === "" ? {} : { section: span.heading }), line: index + 1 }
      const place = span.heading === "" ? "before the first heading" : `under "${span.heading}"`
      reader.issue("tool-call-misplaced", where, `A tool call ${place} would never run.`, { quote: text })
    }
  }
}

const heading = "## Tool Calls\n\n"
const added = heading.split("\n").length - 1

/** Converts line numbers to those of the answer, which lacks the heading that `callsAlone` adds. */
export const placedInAnswer = <A extends { readonly where: Where }>(found: ReadonlyArray<A>): ReadonlyArray<A> =>
  found.map((finding) => {
    const { line } = finding.where
    return line === undefined
      ? finding
      : Object.assign({}, finding, { where: { ...finding.where, line: Math.max(1, line - added) } })
  })

/** True if the text consists only of tool calls and the tags around them. */
const isOnlyCalls = (text: string): boolean =>
  (markedCalls(text) ?? [text]).every(
    (call) => /^\s*[{[]/.test(call) && Result.isSuccess(readBlock(call)) && (holdsCall(call) || isFlatCall(call))
  )

/** If an answer consists only of calls, returns it below the heading for calls. Undefined for other answers. */
export const callsAlone = ({ fences, lines, sections, text }: MarkdownDocument): string | undefined => {
  if (sections.length > 0) return undefined
  const blocks = [...new Set(fences.values())]
  const isOutside = lines.some((line, index) => !fences.has(index) && !line.isBlank)
  const areCalls =
    blocks.length > 0 ? !isOutside && blocks.every((block) => isOnlyCalls(block.text)) : isOnlyCalls(text)
  if (!areCalls) return undefined
  return `${heading}${text}`
}
