/**
 * Finds the known headings of a document among its sections and records in what other form they were written. The last
 * section of a name wins: a prompt that was copied into the answer comes before the answer itself.
 */
import * as Option from "effect/Option"
import type { Reading } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings, inDocumentOrder } from "../findings/IssueCode.ts"
import { Line } from "../markdown/Line.ts"
import type { MarkdownDocument, MarkdownSection } from "../markdown/Markdown.ts"
import { type TextLine, unescapeText } from "./TextEscaping.ts"

/** What a reader gives back: the value, if there is one, with the findings in the order of the document. */
export const reading = <A>(findings: Findings, value?: A): Reading<NonNullable<A>> => ({
  value: Option.fromNullishOr(value),
  ...inDocumentOrder(findings)
})

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

/** The section that counts for a known heading; exact headings before other wordings, later before earlier. */
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
  const { heading, line } = last
  const others = candidates.slice(0, -1).map((section) => section.line)
  if (others.length > 0) {
    const message = `Used the last of ${candidates.length} sections "${heading}"; ignored line ${others.join(", ")}.`
    addRepair(findings, "section-repeated", { section: heading, line }, message)
  }
  noteHeading(last, findings)
  return last
}

/** Records that a required section is missing; says so when its heading is hidden in a code block. */
export const addMissingSection = (document: MarkdownDocument, title: string, findings: Findings): void => {
  const sought = title.toLowerCase()
  const hidden = document.lines.findIndex(
    ({ text }, index) => document.fences.has(index) && text.startsWith("#") && text.toLowerCase().includes(sought)
  )
  const fence = document.fences.get(hidden)
  const hint =
    fence === undefined
      ? ""
      : ` The one on line ${hidden + 1} stands inside the code block that starts on line ${fence.first + 1}.`
  const what = `The section "${title}" is missing.${hint}`
  const how = `Write the heading "## ${title}" on a line of its own, outside any code block, with its text under it.`
  addIssue(findings, "section-missing", { section: title }, { what, how })
}

/** Records that nothing stands under a heading where something must. */
export const addEmptySection = ({ heading, line }: MarkdownSection, how: string, findings: Findings): void =>
  addIssue(findings, "section-empty", { section: heading, line }, { what: `The section "${heading}" is empty.`, how })

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
      const message = "Ignored a code fence that nothing closes before the part that counts."
      addRepair(findings, "fence-ignored", { line }, message)
      continue
    }
    const what = `The code block that starts on line ${line} is never closed, but the document goes on after it.`
    addIssue(findings, "fence-unclosed", { line }, { what, quote: document.lines[line - 1]?.text ?? "" })
  }
}

/** Lines of a document under a heading; `first` is 0-based, `last` excluded. */
export interface SectionSpan {
  readonly heading: string
  readonly first: number
  last: number
}

/**
 * Records the sections before a line that stand under no known heading, and gives them back with their sub-headings.
 * Whatever stands under the original prompt belongs to it, elsewhere only deeper headings do.
 */
export const noteIgnoredSections = (
  document: MarkdownDocument,
  before: number,
  findings: Findings
): ReadonlyArray<SectionSpan> => {
  const spans: Array<SectionSpan> = []
  let owner = Infinity
  let open: SectionSpan | undefined
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

/** The position after the last line of a section: the next known heading, or the next heading of its level. */
export const landmarkEnd = (document: MarkdownDocument, section: MarkdownSection): number => {
  const depth = Math.max(section.depth, section.landmark?.depth ?? 0)
  const next = document.sections.find(
    (other) => other.line > section.line && (other.depth <= depth || other.landmark?.exact === true)
  )
  return next === undefined ? document.lines.length : next.line - 1
}

/** The lines under a known heading with its sub-headings, without blank lines, rules and comments around them. */
const sectionLines = (document: MarkdownDocument, section: MarkdownSection): ReadonlyArray<TextLine> => {
  const { first, lead } = section
  const body = document.lines
    .slice(first, landmarkEnd(document, section))
    .map((line, index) => ({ line, fenced: document.fences.has(first + index) }))
  const all = lead === "" ? body : [{ line: new Line(lead), fenced: false }, ...body]
  const isText = ({ fenced, line }: (typeof all)[number]): boolean =>
    fenced || !(line.isBlank || line.isRule || line.isComment)
  const start = all.findIndex(isText)
  const shown = start < 0 ? [] : all.slice(start, all.findLastIndex(isText) + 1)
  return shown.map(({ fenced, line }) => ({ fenced, text: line.text }))
}

/** The text under a known heading with its sub-headings as it stands. */
export const sectionSource = (document: MarkdownDocument, section: MarkdownSection): string =>
  sectionLines(document, section)
    .map((line) => line.text)
    .join("\n")
    .trim()

/** The same as it was meant: without the backslashes that rendering puts before what looks like structure. */
export const sectionText = (document: MarkdownDocument, section: MarkdownSection): string =>
  unescapeText(sectionLines(document, section))
