/**
 * The headings of a markdown text with what stands under them, found line by line. Enough for texts whose form we know:
 * skill files and our own prompts. Answers of models go through the full reader.
 */
import { fenceByLine, findFences } from "./MarkdownFences.ts"
import { indentOf, readHashes } from "./MarkdownLines.ts"
import type { CodeBlock } from "./CodeBlock.ts"

/** A heading and the text up to the next heading of any level. Text before the first heading has level 0. */
export interface OutlineSection {
  readonly level: number
  readonly title: string
  /** The line of the heading, 1-based. */
  readonly line: number
  readonly body: string
}

/** The sections in order; a heading inside a fence is none. */
export const outline = (text: string): ReadonlyArray<OutlineSection> => {
  const lines = text.split(/\r?\n/)
  const fenced = fenceByLine(findFences(lines, () => true))
  const sections: Array<{ level: number; title: string; line: number; lines: Array<string> }> = []
  for (const [index, line] of lines.entries()) {
    const heading = fenced.has(index) || indentOf(line) > 3 ? undefined : readHashes(line)
    if (heading?.spaced === true) {
      sections.push({ level: heading.depth, title: heading.text, line: index + 1, lines: [] })
    } else if (sections.length === 0) {
      sections.push({ level: 0, title: "", line: 1, lines: [line] })
    } else {
      sections.at(-1)?.lines.push(line)
    }
  }
  return sections.map(({ level, line, lines: own, title }) => ({ level, title, line, body: own.join("\n").trim() }))
}

/** Writes sections back as markdown. */
export const outlineText = (sections: ReadonlyArray<OutlineSection>): string =>
  sections
    .map(({ body, level, title }) => (level === 0 ? body : `${"#".repeat(level)} ${title}\n\n${body}`.trim()))
    .join("\n\n")

/** The fenced blocks of a text in order; one that is not closed ends with the text. */
export const fencedBlocks = (text: string): ReadonlyArray<CodeBlock> =>
  findFences(text.split(/\r?\n/), () => true).map((fence) => ({ language: fence.language, text: fence.text }))
