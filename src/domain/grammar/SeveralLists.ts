/**
 * Two lists in one document: a person who approves it has read both, but only one of them would run. What the prompt
 * quotes, and an earlier copy of the same text, are no second list.
 */
import type { MarkdownSection } from "../markdown/Markdown.ts"
import type { DocumentReader } from "./DocumentReader.ts"

/** The lines of a section that say something, up to the next known heading that begins another part of the document. */
const partFrom = ({ document }: DocumentReader, { first, lead, line }: MarkdownSection): ReadonlyArray<string> => {
  const next = document.sections.find(
    (other) => other.line > line && other.known !== undefined && other.known.key !== "task-section"
  )
  const lines = document.lines.slice(first, next === undefined ? undefined : next.line - 1)
  return [lead, ...lines.map(({ text }) => text.trimEnd())].filter((text) => text !== "")
}

/** True for a section in the copy of the prompt, which ends where the goals begin. */
const isQuoted = ({ document }: DocumentReader, { line }: MarkdownSection): boolean => {
  const before = document.sections.filter((other) => other.line < line)
  const keys = before.map(({ known }) => known?.key)
  return keys.lastIndexOf("original-prompt") > keys.lastIndexOf("goals")
}

/** True for lines that begin with these. */
const beginsWith = (lines: ReadonlyArray<string>, own: ReadonlyArray<string>): boolean =>
  own.length > 0 && own.every((line, index) => lines[index] === line)

/** Refuses every other section under the same heading as the one that counts, if its text `holds` a list. */
export const refuseOthers = (
  reader: DocumentReader,
  counted: MarkdownSection | undefined,
  holds: (text: string) => boolean
): void => {
  if (counted === undefined) return
  const key = counted.known?.key
  const own = partFrom(reader, counted)
  for (const section of reader.document.sections) {
    const isWithin = section.line >= counted.line && (section.line === counted.line || section.depth > counted.depth)
    if (section.known?.key !== key || isWithin || isQuoted(reader, section)) continue
    const part = partFrom(reader, section)
    const other = beginsWith(part, own) ? part.slice(own.length) : part
    if (!holds(other.join("\n"))) continue
    const what = `The sections "${section.heading}" on line ${section.line} and "${counted.heading}" on line ${counted.line} say different things.`
    reader.issue("section-several", { section: section.heading, line: section.line }, what)
  }
}
