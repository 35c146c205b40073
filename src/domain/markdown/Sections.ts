/**
 * Finds sections: headings, and where the text under them ends. Answers, plans, skills, instructions and pages differ
 * only in the known headings and in what ends a section.
 */
import { makeSlugger } from "../text/Slug.ts"
import type { Line } from "./Line.ts"
import { type Heading, type KnownHeadings, readHeading } from "./MarkdownHeadings.ts"

/** A heading with the text under it, up to the next heading of any level. */
export interface MarkdownSection extends Omit<Heading, "text"> {
  readonly heading: string
  /** The anchor that GitHub would give the heading. A repeated anchor gets a number. */
  readonly anchor: string
  readonly line: number
  /** The index among the sections of the text, from 0. */
  readonly position: number
  /** The index of the first body line, and the index after the last body line, from 0. */
  readonly first: number
  readonly last: number
}

/** Lines and the sections that they form. */
export interface SectionedText {
  readonly lines: ReadonlyArray<Line>
  readonly sections: ReadonlyArray<MarkdownSection>
}

/** The sections of a text in order. Headings in fences do not count. */
export const splitSections = (
  lines: ReadonlyArray<Line>,
  fences: ReadonlyMap<number, unknown>,
  knownHeadings?: KnownHeadings
): ReadonlyArray<MarkdownSection> => {
  const headings: Array<{ readonly index: number; readonly heading: Heading }> = []
  for (const [index, line] of lines.entries()) {
    const heading = fences.has(index) ? undefined : readHeading(line, knownHeadings)
    if (heading !== undefined) headings.push({ index, heading })
  }
  const slugger = makeSlugger()
  return headings.map(({ heading: { text, ...heading }, index }, position) =>
    Object.assign(heading, {
      heading: text,
      anchor: slugger.slug(text),
      line: index + 1,
      position,
      first: index + 1,
      last: headings[position + 1]?.index ?? lines.length
    })
  )
}

/** The position after a section and its sub-sections. `isEnd` recognises a later section that does not belong to it. */
export const sectionEnd = (
  { lines, sections }: SectionedText,
  { depth, position }: MarkdownSection,
  isEnd: (other: MarkdownSection) => boolean = (other) => other.depth <= depth
): number => {
  let next = sections[position + 1]
  while (next !== undefined && !isEnd(next)) next = sections[next.position + 1]
  return (next?.line ?? lines.length + 1) - 1
}

/** The text of the lines from `first` up to `last` (exclusive). */
export const textOfLines = ({ lines }: Pick<SectionedText, "lines">, first: number, last?: number): string =>
  lines
    .slice(first, last)
    .map(({ text }) => text)
    .join("\n")

/** The text under a heading, up to the next heading. */
export const bodyOf = ({ lines }: Pick<SectionedText, "lines">, { first, last, lead }: MarkdownSection): string =>
  [...(lead === "" ? [] : [lead]), ...lines.slice(first, last).map(({ text }) => text)].join("\n")

/** The text under a heading, including sub-sections. */
export const textUnder = (
  text: SectionedText,
  section: MarkdownSection,
  isEnd?: (other: MarkdownSection) => boolean
): string => `${section.lead}\n${textOfLines(text, section.first, sectionEnd(text, section, isEnd))}`.trim()
