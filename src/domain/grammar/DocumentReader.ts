/**
 * What all document readers share: sections under known headings, their lines and texts, and findings. A document with
 * two lists that contradict each other is rejected.
 */
import * as Option from "effect/Option"
import {
  type Reading,
  type Where,
  addIssue,
  addRepair,
  type Findings,
  inDocumentOrder,
  type IssueCode,
  type IssueText,
  type RepairCode
} from "../findings/Issue.ts"
import { hiddenStructure, withoutHidden } from "../markdown/HiddenText.ts"
import { Line } from "../markdown/Line.ts"
import { type MarkdownDocument, type MarkdownOptions, readMarkdown } from "../markdown/Markdown.ts"
import { type MarkdownSection, sectionEnd, textUnder } from "../markdown/Sections.ts"
import { type TaskLine, taskLines } from "./RawTask.ts"
import { type EscapedLine, unescapeText } from "./TextEscaping.ts"

/** Lines under a heading, by index from 0. `last` is exclusive. */
export interface SectionSpan {
  readonly heading: string
  readonly first: number
  last: number
}

const isDecoration = ({ isBlank, isComment, isRule }: Line): boolean => isBlank || isRule || isComment

export class DocumentReader {
  readonly document: MarkdownDocument
  readonly findings: Findings

  /** `isSeen` is true if a user relies on what the document visibly says. The reader then rejects hidden structure. */
  constructor(text: string, options: MarkdownOptions, isSeen = options.hasFields === true) {
    const hidden = isSeen ? hiddenStructure(text) : []
    this.document = readMarkdown(withoutHidden(text, hidden), options)
    this.findings = { issues: [...this.document.issues], repairs: [...this.document.repairs] }
    for (const { start } of hidden) this.#refuseHidden(text.slice(0, start).split("\n").length)
    // `readMarkdown` may remove text around a document, which can reveal more hidden structure. Line numbers stay the
    // same.
    const { repairs, text: kept } = this.document
    if (!isSeen || repairs.length === 0) return
    for (const { start } of hiddenStructure(kept)) this.#refuseHidden(kept.slice(0, start).split("\n").length)
  }

  /**
   * Rejects hidden text that looks like structure. The program would use it, and the user would not see it. In the
   * original prompt it is allowed, because the prompt is only quoted.
   */
  #refuseHidden(line: number): void {
    const around = this.document.sections.findLast((section) => section.line < line)
    if (around?.knownHeading?.key === "original-prompt") return
    this.issue("text-hidden", { line }, "A reader of the document cannot see a part of it.")
  }

  /** The value, if any, with the findings in the order of the document. */
  reading<A>(value?: A): Reading<NonNullable<A>> {
    return { value: Option.fromNullishOr(value), ...inDocumentOrder(this.findings) }
  }

  issue(code: IssueCode, where: Where, what: string, more: Omit<IssueText, "what"> = {}): void {
    addIssue(this.findings, code, where, { what, ...more })
  }

  repair(code: RepairCode, where: Where, message: string): void {
    addRepair(this.findings, code, where, message)
  }

  noteHeading({ depth, form, heading, knownHeading, line }: MarkdownSection): void {
    if (knownHeading === undefined) return
    const where = { section: heading, line }
    const strict = `${"#".repeat(knownHeading.depth)} ${knownHeading.title}`
    if (form !== "hashes") this.repair("heading-form", where, `Read the line as the heading "${strict}".`)
    if (!knownHeading.exact)
      this.repair("heading-text", where, `Read the heading "${heading}" as "${knownHeading.title}".`)
    if (depth !== knownHeading.depth)
      this.repair("heading-level", where, `Read the heading as one of level ${knownHeading.depth}.`)
  }

  /**
   * The section under a known heading. An exact heading counts before other forms. Of several sections, the last
   * counts, because a copy of the prompt may precede the answer.
   */
  section(key: string): MarkdownSection | undefined {
    const all = this.document.sections.filter(({ knownHeading }) => knownHeading?.key === key)
    const exact = all.filter(({ knownHeading }) => knownHeading?.exact === true)
    const candidates = exact.length > 0 ? exact : all
    const last = candidates.at(-1)
    if (last === undefined) return undefined
    const { heading, line } = last
    const others = candidates.slice(0, -1).map((section) => section.line)
    if (others.length > 0) {
      const message = `Used the last of ${candidates.length} sections "${heading}"; ignored line ${others.join(", ")}.`
      this.repair("section-repeated", { section: heading, line }, message)
    }
    this.noteHeading(last)
    return last
  }

  /** Records a missing section. If its heading is hidden in a code block, the record mentions that. */
  addMissing(title: string): void {
    const { fences, lines } = this.document
    const wanted = title.toLowerCase()
    const hidden = lines.findIndex(
      ({ text }, index) => fences.has(index) && text.startsWith("#") && text.toLowerCase().includes(wanted)
    )
    const fence = fences.get(hidden)
    const hint =
      fence === undefined
        ? ""
        : ` The one on line ${hidden + 1} is inside the code block that starts on line ${fence.first + 1}.`
    const how = `Write the heading "## ${title}" on a line of its own, outside any code block, with its text under it.`
    this.issue("section-missing", { section: title }, `The section "${title}" is missing.${hint}`, { how })
  }

  addEmpty({ heading, line }: MarkdownSection, how: string): void {
    this.issue("section-empty", { section: heading, line }, `The section "${heading}" is empty.`, { how })
  }

  /**
   * Records an issue for each code fence that is never closed. A fence before `from` is only a repair, because the text
   * there is only a copy of the prompt.
   */
  checkFences(from?: MarkdownSection): void {
    for (const line of this.document.strayFences) {
      if (from !== undefined && line < from.line) {
        const message = "Ignored an unclosed code fence before the part of the document that counts."
        this.repair("fence-ignored", { line }, message)
      } else {
        const what = `The code block that starts on line ${line} is never closed, but the document continues after it.`
        this.issue("fence-unclosed", { line }, what, { quote: this.document.lines[line - 1]?.text ?? "" })
      }
    }
  }

  /**
   * Records the unknown sections before a line as ignored, and returns each with its sub-headings. A heading below the
   * original prompt belongs to the prompt, so it is never unknown. Below any other known heading, only deeper headings
   * belong to it.
   */
  ignoreSections(before: number): ReadonlyArray<SectionSpan> {
    const spans: Array<SectionSpan> = []
    let owner = Infinity
    let open: SectionSpan | undefined
    for (const { depth, first, heading, knownHeading, last, line } of this.document.sections) {
      if (knownHeading !== undefined) {
        owner = knownHeading.key === "original-prompt" ? 0 : Math.max(depth, knownHeading.depth)
        open = undefined
      } else if (depth > owner) {
        if (open !== undefined) open.last = last
      } else if (line < before) {
        owner = depth
        open = { heading, first, last }
        spans.push(open)
        this.repair("section-ignored", { section: heading, line }, `Ignored the section "${heading}".`)
      }
    }
    return spans
  }

  /**
   * The index after the section's last line. The section ends at the next known heading or heading of the same level.
   */
  endOf(section: MarkdownSection): number {
    const level = Math.max(section.depth, section.knownHeading?.depth ?? 0)
    return sectionEnd(
      this.document,
      section,
      ({ depth, knownHeading }) => depth <= level || knownHeading?.exact === true
    )
  }

  /** The lines of a section, with its sub-headings. Empty if there is no section. */
  linesOf(section: MarkdownSection | undefined): ReadonlyArray<TaskLine> {
    return section === undefined ? [] : taskLines(this.document, section.first, this.endOf(section))
  }

  sourceOf(section: MarkdownSection): string {
    return this.#textLines(section)
      .map(({ text }) => text)
      .join("\n")
      .trim()
  }

  /** The text of a section, without the backslashes that escape structure. */
  textOf(section: MarkdownSection): string {
    return unescapeText(this.#textLines(section))
  }

  /** The lines of a section, without blank lines, rules and comments at both ends. */
  #textLines(section: MarkdownSection): ReadonlyArray<EscapedLine> {
    const { first, lead } = section
    const { fences, lines } = this.document
    const all = lines
      .slice(first, this.endOf(section))
      .map((line, index) => ({ line, fenced: fences.has(first + index) }))
    if (lead !== "") all.unshift({ line: new Line(lead), fenced: false })
    const start = all.findIndex(({ fenced, line }) => fenced || !isDecoration(line))
    const end = all.findLastIndex(({ fenced, line }) => fenced || !isDecoration(line)) + 1
    return all.slice(Math.max(0, start), end).map(({ fenced, line: { text } }) => ({ fenced, text }))
  }
}

/** The non-empty lines of a section, up to the next known heading. */
const linesOf = (document: MarkdownDocument, section: MarkdownSection): ReadonlyArray<string> =>
  textUnder(document, section, ({ knownHeading }) => knownHeading !== undefined && knownHeading.key !== "task-section")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")

/**
 * Records an issue for each further section with the heading of `counted`, if `holds` finds a list in it. `counted` is
 * the section that the reader uses.
 */
export const refuseOthers = (
  reader: DocumentReader,
  counted: MarkdownSection | undefined,
  holds: (text: string) => boolean
): void => {
  if (counted === undefined) return
  const { document } = reader
  const key = counted.knownHeading?.key
  const countedLines = linesOf(document, counted)
  /** True inside the copy of the prompt, which ends at the heading of the goals. */
  let isQuoted = false
  for (const section of document.sections) {
    const { depth, heading, knownHeading, line } = section
    const isWithin = line >= counted.line && (line === counted.line || depth > counted.depth)
    if (knownHeading?.key === key && !isWithin && !isQuoted) {
      const lines = linesOf(document, section)
      const isRepeated = countedLines.length > 0 && countedLines.every((one, index) => lines[index] === one)
      if (holds((isRepeated ? lines.slice(countedLines.length) : lines).join("\n"))) {
        const what = `The sections "${heading}" on line ${line} and "${counted.heading}" on line ${counted.line} say different things.`
        reader.issue("section-several", { section: heading, line }, what)
      }
    }
    if (knownHeading?.key === "original-prompt") isQuoted = true
    if (knownHeading?.key === "goals") isQuoted = false
  }
}
