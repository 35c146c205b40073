/**
 * Finds the knownHeadings of a document among its sections and records in what other form they were written. The last
 * section of a name wins: a prompt that was copied into the answer comes before the answer itself.
 */
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { MarkdownDocument, MarkdownSection } from "../markdown/Markdown.ts"
import { type TextLine, unescapeText } from "./TextEscaping.ts"
import { isBlank, isComment, isRule } from "../markdown/MarkdownLines.ts"

/** Notes how a heading differs from the strict document. */
export const noteHeading = (section: MarkdownSection, findings: Findings): void => {
  const { depth, form, heading, landmark, line } = section
  if (landmark === undefined) return
  const where = { section: heading, line }
  const strict = `${"#".repeat(landmark.depth)} ${landmark.title}`
  if (form !== "hashes") addRepair(findings, "heading-form", where, `Read the line as the heading "${strict}".`)
  if (!landmark.exact)
    addRepair(findings, "heading-text", where, `Read the heading "${heading}" as "${landmark.title}".`)
  if (depth !== landmark.depth)
    addRepair(findings, "heading-level", where, `Read the heading as one of level ${landmark.depth}.`)
}

/** The section that counts for a landmark; exact headings before other wordings, later before earlier. */
export const lastSection = (
  document: MarkdownDocument,
  key: string,
  findings: Findings
): MarkdownSection | undefined => {
  const all = document.sections.filter((section) => section.landmark?.key === key)
  const exact = all.filter((section) => section.landmark?.exact === true)
  const candidates = exact.length > 0 ? exact : all
  const last = candidates.at(-1)
  if (last === undefined) return undefined
  if (candidates.length > 1) {
    const where = { section: last.heading, line: last.line }
    const others = candidates.slice(0, -1).map((section) => section.line)
    addRepair(
      findings,
      "section-repeated",
      where,
      `Used the last of ${candidates.length} sections "${last.heading}"; ignored line ${others.join(", ")}.`
    )
  }
  noteHeading(last, findings)
  return last
}

/** Records that a required section is missing; says so when its heading is hidden in a code block. */
export const addMissingSection = (document: MarkdownDocument, title: string, findings: Findings): void => {
  const sought = title.toLowerCase()
  const hidden = document.lines.findIndex(
    (line, index) => document.fences.has(index) && line.startsWith("#") && line.toLowerCase().includes(sought)
  )
  const fence = document.fences.get(hidden)
  const hint =
    fence === undefined
      ? ""
      : ` The one on line ${hidden + 1} stands inside the code block that starts on line ${fence.first + 1}.`
  addIssue(
    findings,
    "section-missing",
    { section: title },
    {
      what: `The section "${title}" is missing.${hint}`,
      how: `Write the heading "## ${title}" on a line of its own, outside any code block, with its text under it.`
    }
  )
}

/**
 * Records fences that nothing closes although the document goes on. Before `from` stands only the copy of the prompt,
 * where they do no harm.
 */
export const checkStrayFences = (
  document: MarkdownDocument,
  from: MarkdownSection | undefined,
  findings: Findings
): void => {
  for (const line of document.strayFences) {
    if (from !== undefined && line < from.line) {
      addRepair(
        findings,
        "fence-ignored",
        { line },
        "Ignored a code fence that nothing closes before the part that counts."
      )
      continue
    }
    addIssue(
      findings,
      "fence-unclosed",
      { line },
      {
        what: `The code block that starts on line ${line} is never closed, but the document goes on after it.`,
        quote: document.lines[line - 1] ?? ""
      }
    )
  }
}

/** Lines of a document under a heading; `first` is 0-based, `last` excluded. */
export interface SectionSpan {
  readonly heading: string
  readonly first: number
  readonly last: number
}

/**
 * Records the sections before a line that stand under no landmark, and gives them back with their sub-headings. Whatever
 * stands under the original prompt belongs to it, elsewhere only deeper headings do.
 */
export const noteIgnoredSections = (
  document: MarkdownDocument,
  before: number,
  findings: Findings
): ReadonlyArray<SectionSpan> => {
  const spans: Array<{ heading: string; first: number; last: number }> = []
  let owner = Infinity
  let open: { heading: string; first: number; last: number } | undefined
  for (const { depth, first, heading, landmark, last, line } of document.sections) {
    if (landmark !== undefined) {
      owner = landmark.key === "original-prompt" ? 0 : Math.max(depth, landmark.depth)
      open = undefined
    } else if (depth > owner) {
      if (open !== undefined) open.last = last
    } else if (line < before) {
      owner = depth
      open = { heading, first, last }
      spans.push(open)
      addRepair(findings, "section-ignored", { section: heading, line }, `Ignored the section "${heading}".`)
    }
  }
  return spans
}

/** The position after the last line of a landmark: the next landmark, or the next heading of its level. */
export const landmarkEnd = (document: MarkdownDocument, section: MarkdownSection): number => {
  const depth = Math.max(section.depth, section.landmark?.depth ?? 0)
  const next = document.sections.find(
    (other) => other.line > section.line && (other.depth <= depth || other.landmark?.exact === true)
  )
  return next === undefined ? document.lines.length : next.line - 1
}

const isDecoration = ({ fenced, text }: TextLine): boolean =>
  !fenced && (isBlank(text) || isRule(text) || isComment(text))

const sectionLines = (document: MarkdownDocument, section: MarkdownSection): ReadonlyArray<TextLine> => {
  const end = landmarkEnd(document, section)
  const lines: Array<TextLine> = section.lead === "" ? [] : [{ text: section.lead, fenced: false }]
  for (let index = section.first; index < end; index += 1) {
    lines.push({ text: document.lines[index] ?? "", fenced: document.fences.has(index) })
  }
  const first = lines.findIndex((line) => !isDecoration(line))
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isDecoration(line)) + 1)
}

/** The text under a landmark with its sub-headings as it stands, without blank lines, rules and comments around it. */
export const sectionSource = (document: MarkdownDocument, section: MarkdownSection): string =>
  sectionLines(document, section)
    .map((line) => line.text)
    .join("\n")
    .trim()

/** The same as it was meant: without the backslashes that rendering puts before what looks like structure. */
export const sectionText = (document: MarkdownDocument, section: MarkdownSection): string =>
  unescapeText(sectionLines(document, section))
