/**
 * Two lists in one document: a person who approves it has read both, but only one of them would run. What the prompt
 * quotes, and an earlier copy of the same text, are no second list.
 */
import type { MarkdownSection } from "../markdown/Markdown.ts"
import type { DocumentReader } from "./DocumentReader.ts"

/** A section with what stands around it. */
interface Part {
  readonly section: MarkdownSection
  /** The line of the next known heading that begins another part of the document. */
  readonly end: number | undefined
  /** True in the copy of the prompt, which ends where the goals begin. */
  readonly isQuoted: boolean
}

/** The sections of a document in order; one pass in each direction, since a document may have many. */
const partsOf = ({ document: { sections } }: DocumentReader): ReadonlyArray<Part> => {
  let isQuoted = false
  const quoted = sections.map(({ known }) => {
    const before = isQuoted
    if (known?.key === "original-prompt") isQuoted = true
    if (known?.key === "goals") isQuoted = false
    return before
  })
  let end: number | undefined
  const ends = sections
    .toReversed()
    .map(({ known, line }) => {
      const own = end
      if (known !== undefined && known.key !== "task-section") end = line
      return own
    })
    .toReversed()
  return sections.map((section, index) => ({ section, end: ends[index], isQuoted: quoted[index] === true }))
}

/** The lines of a section that say something. */
const linesOf = ({ document }: DocumentReader, { end, section: { first, lead } }: Part): ReadonlyArray<string> => {
  const lines = document.lines.slice(first, end === undefined ? undefined : end - 1)
  return [lead, ...lines.map(({ text }) => text.trimEnd())].filter((text) => text !== "")
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
  if (reader.document.sections.filter(({ known }) => known?.key === key).length < 2) return
  const parts = partsOf(reader)
  const ownPart = parts.find(({ section }) => section.line === counted.line)
  const own = ownPart === undefined ? [] : linesOf(reader, ownPart)
  for (const one of parts) {
    const { isQuoted, section } = one
    const isWithin = section.line >= counted.line && (section.line === counted.line || section.depth > counted.depth)
    if (section.known?.key !== key || isWithin || isQuoted) continue
    const lines = linesOf(reader, one)
    const other = beginsWith(lines, own) ? lines.slice(own.length) : lines
    if (!holds(other.join("\n"))) continue
    const what = `The sections "${section.heading}" on line ${section.line} and "${counted.heading}" on line ${counted.line} say different things.`
    reader.issue("section-several", { section: section.heading, line: section.line }, what)
  }
}
