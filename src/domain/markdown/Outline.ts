/**
 * The headings of a markdown text with the text under them, found line by line. Sufficient for texts of known form: skill
 * files and the prompts of the product. Answers of models need the full reader.
 */
import { Line, fenceByLine, findFences } from "./Line.ts"
import type { CodeBlock } from "./PromptBlock.ts"

/** A heading and the text up to the next heading of any level. Text before the first heading has level 0. */
export interface OutlineSection {
  readonly level: number
  readonly title: string
  readonly line: number
  readonly body: string
}

const fencesOf = (text: string) => {
  const lines = text.split(/\r?\n/).map((line) => new Line(line))
  const fences = findFences(lines, () => true)
  return { lines, fences, fenced: fenceByLine(fences) }
}

/** The lines outside of code blocks, with their numbers from 1. */
export const proseLines = (text: string): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
  const { fenced, lines } = fencesOf(text)
  return lines.flatMap((line, index) => (fenced.has(index) ? [] : [{ line: index + 1, text: line.text }]))
}

/** The sections in order. A heading inside a fence does not count. */
export const outline = (text: string): ReadonlyArray<OutlineSection> => {
  const { fenced, lines } = fencesOf(text)
  const sections: Array<{ level: number; title: string; line: number; lines: Array<string> }> = []
  for (const [index, { hashes, isHeading, text: written }] of lines.entries()) {
    if (hashes !== undefined && isHeading && !fenced.has(index)) {
      sections.push({ level: hashes.depth, title: hashes.text, line: index + 1, lines: [] })
    } else if (sections.length === 0) {
      sections.push({ level: 0, title: "", line: 1, lines: [written] })
    } else {
      sections.at(-1)?.lines.push(written)
    }
  }
  return sections.map(({ level, line, lines: own, title }) => ({ level, title, line, body: own.join("\n").trim() }))
}

/** The text under a heading with its sub-headings, up to the next section that passes the test. */
export const bodyWithSubheadings = (
  sections: ReadonlyArray<OutlineSection>,
  index: number,
  isEnd: (section: OutlineSection) => boolean
): string => {
  const end = sections.findIndex((section, at) => at > index && isEnd(section))
  const below = outlineText(sections.slice(index + 1, end < 0 ? undefined : end))
  return [sections[index]?.body ?? "", below].filter((text) => text !== "").join("\n\n")
}

export const outlineText = (sections: ReadonlyArray<OutlineSection>): string =>
  sections
    .map(({ body, level, title }) => (level === 0 ? body : `${"#".repeat(level)} ${title}\n\n${body}`.trim()))
    .join("\n\n")

/** The fenced blocks of a text in order; one that is not closed ends with the text. */
export const fencedBlocks = (text: string): ReadonlyArray<CodeBlock> =>
  fencesOf(text).fences.map((fence) => ({ language: fence.language, text: fence.text }))
