/**
 * Reads the text of a model, or a document of our own, as markdown sections. Splitting is done line by line with regard
 * to fences; remark parses one section at a time and only when its tree is asked for. Never throws.
 */
import type { Root } from "mdast"
import * as Option from "effect/Option"
import type { Issue, Repair } from "../findings/Issue.ts"
import { addIssue, addRepair, noFindings } from "../findings/IssueCode.ts"
import type { KnownHeading, KnownHeadings } from "./KnownHeadings.ts"
import { cleanLines } from "./MarkdownCleaning.ts"
import { type Fence, fenceByLine, findFences } from "./MarkdownFences.ts"
import { type Heading, type HeadingForm, readHeading } from "./MarkdownHeadings.ts"
import { isBlank } from "./MarkdownLines.ts"
import { parseMarkdown } from "./MarkdownTree.ts"
import { forgivingSlug, makeSlugger } from "../text/Slug.ts"

/** A heading with what stands under it, up to the next heading of any level. */
export class MarkdownSection {
  readonly heading: string
  /** GFM anchor; repeated headings are numbered. */
  readonly anchor: string
  readonly depth: number
  readonly form: HeadingForm
  readonly landmark: KnownHeading | undefined
  /** The line of the heading, 1-based. */
  readonly line: number
  /** Text that stands on the line of the heading; only bold headings have it. */
  readonly lead: string
  /** Positions of the lines of the body, 0-based, `last` excluded. */
  readonly first: number
  readonly last: number
  readonly #lines: ReadonlyArray<string>
  #tree: Option.Option<Root> | undefined

  constructor(lines: ReadonlyArray<string>, heading: Heading, anchor: string, index: number, last: number) {
    this.heading = heading.text
    this.anchor = anchor
    this.depth = heading.depth
    this.form = heading.form
    this.landmark = heading.landmark
    this.line = index + 1
    this.lead = heading.lead
    this.first = index + heading.height
    this.last = last
    this.#lines = lines
  }

  /** The text under the heading, as it stands. */
  get body(): string {
    return [...(this.lead === "" ? [] : [this.lead]), ...this.#lines.slice(this.first, this.last)].join("\n")
  }

  /** The mdast of the body with line numbers of the document; nothing when the body is above the caps of remark. @internal */
  get tree(): Option.Option<Root> {
    this.#tree ??= parseMarkdown(this.body, this.lead === "" ? this.first + 1 : this.first)
    return this.#tree
  }
}

/** A text as sections. */
export interface MarkdownDocument {
  /** The cleaned text; removed lines are empty, so line numbers are those of the original. */
  readonly text: string
  readonly lines: ReadonlyArray<string>
  readonly fences: ReadonlyMap<number, Fence>
  readonly sections: ReadonlyArray<MarkdownSection>
  /** Lines (1-based) with a fence that nothing closes and that was read as text, because the document goes on after it. */
  readonly strayFences: ReadonlyArray<number>
  readonly repairs: ReadonlyArray<Repair>
  /** Present when the text is too large; it is not split then. */
  readonly issues: ReadonlyArray<Issue>
}

/** The largest text that is split into sections, in characters. */
const maximumDocument = 4_194_304

/** What a reader knows of the documents it reads. */
export interface MarkdownOptions {
  /** Headings to find also when they are bold lines, underlined lines, or lack the space after the hashes. */
  readonly knownHeadings?: KnownHeadings
  /** True for a line that belongs to the document and not to code: an unclosed fence before it does not swallow it. */
  readonly isStructure?: (line: string) => boolean
}

const unsplit = (text: string): MarkdownDocument => {
  const findings = noFindings()
  addIssue(
    findings,
    "document-too-large",
    {},
    {
      what: `The text has ${text.length} characters; at most ${maximumDocument} are read.`
    }
  )
  return { text, lines: [], fences: new Map(), sections: [], strayFences: [], ...findings }
}

/** Splits a text into sections and takes off what is not part of the answer; see `repairs`. */
export const readMarkdown = (text: string, options: MarkdownOptions = {}): MarkdownDocument => {
  if (text.length > maximumDocument) return unsplit(text)
  const { isStructure = () => false, knownHeadings } = options
  const findings = noFindings()
  const isPart = (line: string, next?: string): boolean =>
    isStructure(line) || readHeading(line, next, knownHeadings)?.landmark?.exact === true
  const lines = cleanLines(text, findings, isPart)
  const lastPart = lines.findLastIndex((line, index) => isPart(line, lines[index + 1]))
  const strayFences: Array<number> = []
  const staysOpen = (index: number): boolean => {
    if (index > lastPart) return true
    strayFences.push(index + 1)
    return false
  }
  const found = findFences(lines, staysOpen, isPart)
  const open = found.find((fence) => !fence.closed)
  if (open !== undefined) {
    addRepair(findings, "fence-closed", { line: open.first + 1 }, "Closed the code block at the end of the text.")
    // A bare fence at the end is the end of a block whose start took the end of an earlier one.
    const isEnd = open.language === "" && isBlank(open.text)
    const swallowing = found.filter((fence) => isEnd && fence.closed && fence.source.some((line) => isPart(line)))
    strayFences.push(...swallowing.map((fence) => fence.first + 1))
  }
  const fences = fenceByLine(found)
  const headings: Array<{ readonly index: number; readonly heading: Heading }> = []
  for (let index = 0; index < lines.length; index += 1) {
    const heading = fences.has(index) ? undefined : readHeading(lines[index] ?? "", lines[index + 1], knownHeadings)
    if (heading === undefined) continue
    headings.push({ index, heading })
    index += heading.height - 1
  }
  const slugger = makeSlugger()
  const sections = headings.map(
    ({ heading, index }, position) =>
      new MarkdownSection(
        lines,
        heading,
        slugger.slug(heading.text),
        index,
        headings[position + 1]?.index ?? lines.length
      )
  )
  const start = headings[0]?.index ?? 0
  const preamble = lines.slice(0, start).findIndex((line) => !isBlank(line))
  if (preamble >= 0 && knownHeadings !== undefined) {
    addRepair(findings, "preamble-ignored", { line: preamble + 1 }, "Ignored the text before the first heading.")
  }
  return { text: lines.join("\n"), lines, fences, sections, strayFences, ...findings }
}

/** The section with this anchor: exactly, or forgivingly when exactly one answers to it. */
export const findSection = (document: MarkdownDocument, anchor: string): Option.Option<MarkdownSection> => {
  const exact = document.sections.find((section) => section.anchor === anchor)
  if (exact !== undefined) return Option.some(exact)
  const sought = forgivingSlug(anchor)
  const similar = document.sections.filter((section) => forgivingSlug(section.anchor) === sought)
  return similar.length === 1 ? Option.fromNullishOr(similar[0]) : Option.none()
}

/** The position after the last line of a section with its sub-headings. */
const sectionEnd = (document: MarkdownDocument, section: MarkdownSection): number => {
  const next = document.sections.find((other) => other.line > section.line && other.depth <= section.depth)
  return next === undefined ? document.lines.length : next.line - 1
}

/** The text of a section with its sub-headings, without its own heading; resolves `#anchor`. */
export const sectionMarkdown = (document: MarkdownDocument, anchor: string): Option.Option<string> =>
  Option.map(findSection(document, anchor), (section) => {
    const lines = document.lines.slice(section.first, sectionEnd(document, section))
    return [section.lead, ...lines].join("\n").trim()
  })
