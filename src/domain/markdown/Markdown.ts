/**
 * Splits an answer of a model, or a document of the product, into markdown sections. It works line by line, respects
 * fences, and never throws.
 */
import * as Option from "effect/Option"
import { type Issue, type Repair, addIssue, addRepair, noFindings } from "../findings/Issue.ts"
import { forgivingSlug } from "../text/Slug.ts"
import { type Line, type Fence, fenceByLine, findFences } from "./Line.ts"
import { cleanLines } from "./MarkdownCleaning.ts"
import { type KnownHeadings, readHeading } from "./MarkdownHeadings.ts"
import { type MarkdownSection, splitSections, textOfLines, textUnder } from "./Sections.ts"

export interface MarkdownDocument {
  /** The cleaned text. Removed lines are empty, so that line numbers stay the same. */
  readonly text: string
  readonly lines: ReadonlyArray<Line>
  readonly fences: ReadonlyMap<number, Fence>
  readonly sections: ReadonlyArray<MarkdownSection>
  /** The lines (from 1) of unclosed fences that were read as text. */
  readonly strayFences: ReadonlyArray<number>
  readonly repairs: ReadonlyArray<Repair>
  /** The issue of a text that is too large and was not split. */
  readonly issues: ReadonlyArray<Issue>
}

const maximumDocument = 4_194_304

/** Which headings and fields to recognise. */
export interface MarkdownOptions {
  /** Headings that are also recognised as bold lines. */
  readonly knownHeadings?: KnownHeadings
  /** True for a document with tasks. A field of a task is never code, so a field ends an unclosed fence. */
  readonly hasFields?: boolean
}

const unsplit = (text: string): MarkdownDocument => {
  const findings = noFindings()
  const what = `The text has ${text.length} characters; at most ${maximumDocument} are read.`
  addIssue(findings, "document-too-large", {}, { what })
  return { text, lines: [], fences: new Map(), sections: [], strayFences: [], ...findings }
}

/** Removes what is not part of the answer, and notes it in `repairs`. Splits the remaining text into sections. */
export const readMarkdown = (
  text: string,
  { hasFields = false, knownHeadings }: MarkdownOptions = {}
): MarkdownDocument => {
  if (text.length > maximumDocument) return unsplit(text)
  const findings = noFindings()
  const isPart = (line: Line): boolean =>
    (hasFields && line.isField) || readHeading(line, knownHeadings)?.knownHeading?.exact === true
  const lines = cleanLines(text, findings, isPart)
  // The position of the last part of the document, computed only for an unclosed fence.
  let lastPart: number | undefined
  const strayFences: Array<number> = []
  const staysOpen = (index: number): boolean => {
    lastPart ??= lines.findLastIndex(isPart)
    if (index <= lastPart) strayFences.push(index + 1)
    return index > lastPart
  }
  const foundFences = findFences(lines, staysOpen, isPart)
  const open = foundFences.find((fence) => !fence.closed)
  if (open !== undefined) {
    addRepair(findings, "fence-closed", { line: open.first + 1 }, "Closed the code block at the end of the text.")
    // If the last fence is empty and has no language, it is really the closing line of a block. The opening line of
    // that block was taken for the end of an earlier fence.
    const isEnd = open.language === "" && open.text.trim() === ""
    const swallowing = foundFences.filter((fence) => isEnd && fence.closed && fence.source.some(isPart))
    strayFences.push(...swallowing.map((fence) => fence.first + 1))
  }
  const fences = fenceByLine(foundFences)
  const sections = splitSections(lines, fences, knownHeadings)
  const preamble = lines.slice(0, (sections[0]?.line ?? 1) - 1).findIndex((line) => !line.isBlank)
  if (preamble >= 0 && knownHeadings !== undefined) {
    addRepair(findings, "preamble-ignored", { line: preamble + 1 }, "Ignored the text before the first heading.")
  }
  return { text: textOfLines({ lines }, 0), lines, fences, sections, strayFences, ...findings }
}

/** The section with exactly this anchor, or else the only section with a similar anchor. */
export const findSection = (document: MarkdownDocument, anchor: string): Option.Option<MarkdownSection> => {
  const exact = document.sections.find((section) => section.anchor === anchor)
  if (exact !== undefined) return Option.some(exact)
  const wanted = forgivingSlug(anchor)
  const [similar, ...others] = document.sections.filter((section) => forgivingSlug(section.anchor) === wanted)
  return others.length === 0 ? Option.fromNullishOr(similar) : Option.none()
}

/** The text under the heading with this anchor, with sub-sections and without the heading. */
export const sectionMarkdown = (document: MarkdownDocument, anchor: string): Option.Option<string> =>
  Option.map(findSection(document, anchor), (section) => textUnder(document, section))
