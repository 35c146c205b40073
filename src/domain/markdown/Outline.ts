/**
 * Finds headings and the text under them line by line. This is enough for texts of known form: skill files and the
 * product's prompts. Answers need `readMarkdown`.
 */
import { Line, fenceByLine, findFences } from "./Line.ts"
import type { CodeBlock } from "./PromptBlock.ts"
import { type SectionedText, splitSections } from "./Sections.ts"

const fencesOf = (text: string) => {
  const lines = text.split(/\r?\n/).map((line) => new Line(line))
  const fences = findFences(lines, () => true)
  return { lines, fences, fenced: fenceByLine(fences) }
}

/** The lines outside code blocks, numbered from 1. */
export const proseLines = (text: string): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
  const { fenced, lines } = fencesOf(text)
  return lines.flatMap((line, index) => (fenced.has(index) ? [] : [{ line: index + 1, text: line.text }]))
}

/** The lines and sections of a text with a known form, such as a skill file. */
export const outline = (text: string): SectionedText => {
  const { fenced, lines } = fencesOf(text)
  return { lines, sections: splitSections(lines, fenced) }
}

/** The fenced blocks of a text in order. An unclosed block ends at the end of the text. */
export const fencedBlocks = (text: string): ReadonlyArray<CodeBlock> =>
  fencesOf(text).fences.map((fence) => ({ language: fence.language, text: fence.text }))
