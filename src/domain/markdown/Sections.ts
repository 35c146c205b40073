/**
 * The sections of a text: the one place that finds headings and says where what stands under them ends. The readers of answers, plans,
 * skills and their tests, instructions and pages differ in which headings they know and what ends a section for them.
 */
import { makeSlugger } from "../text/Slug.ts"
import type { Line } from "./Line.ts"
import { type Heading, type KnownHeadings, readHeading } from "./MarkdownHeadings.ts"

/** A heading with what stands under it, up to the next heading of any level. */
export interface MarkdownSection extends Omit<Heading, "text"> {
  readonly heading: string
  /** GFM anchor; repeated headings are numbered. */
  readonly anchor: string
  readonly line: number
  /** Among the sections of the text, from 0. */
  readonly position: number
  /** Positions of the lines of the body, 0-based, `last` excluded. */
  readonly first: number
  readonly last: number
}

/** Lines with the sections that they form. */
export interface SectionedText {
  readonly lines: ReadonlyArray<Line>
  readonly sections: ReadonlyArray<MarkdownSection>
}

/** The sections of a text in order. A heading inside a fence does not count. */
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

/** The position after the last line of a section with its sub-headings; `isEnd` says which section after it is none of them. */
export const sectionEnd = (
  { lines, sections }: SectionedText,
  { depth, position }: MarkdownSection,
  isEnd: (other: MarkdownSection) => boolean = (other) => other.depth <= depth
): number => {
  let next = sections[position + 1]
  while (next !== undefined && !isEnd(next)) next = sections[next.position + 1]
  return (next?.line ?? lines.length + 1) - 1
}

/** The text of some lines of a document, `last` excluded. */
export const textOfLines = ({ lines }: Pick<SectionedText, "lines">, first: number, last?: number): string =>
  lines
    .slice(first, last)
    .map(({ text }) => text)
    .join("\n")

/** The text under a heading, up to the next heading. */
export const bodyOf = ({ lines }: Pick<SectionedText, "lines">, { first, last, lead }: MarkdownSection): string =>
  [...(lead === "" ? [] : [lead]), ...lines.slice(first, last).map(({ text }) => text)].join("\n")

/** The text under a heading with its sub-headings. */
export const textUnder = (
  text: SectionedText,
  section: MarkdownSection,
  isEnd?: (other: MarkdownSection) => boolean
): string => `${section.lead}\n${textOfLines(text, section.first, sectionEnd(text, section, isEnd))}`.trim()
