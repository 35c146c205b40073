/**
 * Headings as models write them: with hashes, and for knownHeadings also as bold lines, underlined lines, or without the space
 * after the hashes.
 */
import type { KnownHeading, KnownHeadings } from "./KnownHeadings.ts"
import { indentOf, isBlank, readBullets, readHashes } from "./MarkdownLines.ts"

/** How a heading was written; all but `hashes` are read only for knownHeadings. */
export type HeadingForm = "hashes" | "unspaced" | "bold" | "underlined"

/** A heading as a line or two of a text. */
export interface Heading {
  readonly text: string
  readonly depth: number
  readonly form: HeadingForm
  readonly landmark: KnownHeading | undefined
  /** Text on the line of a bold heading. */
  readonly lead: string
  /** How many lines the heading takes. */
  readonly height: number
}

/** A heading without emphasis, code marks and links, however they are nested. */
const plainHeading = (text: string): string => {
  if (text.length > 500) return text
  const stripped = text
    .replace(/\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .trim()
  const plain = /^([*_]).+\1$/s.test(stripped) ? stripped.slice(1, -1).trim() : stripped
  return plain === text ? text : plainHeading(plain)
}

const boldLine = /^(?:\*\*([^*]+)\*\*|__([^_]+)__)\s*:?(.*)$/

const readBold = (line: string, knownHeadings: KnownHeadings): Heading | undefined => {
  const [, starred, underscored, after = ""] = boldLine.exec(line.trim()) ?? []
  const text = starred ?? underscored
  const landmark = text === undefined ? undefined : knownHeadings(text)
  if (text === undefined || landmark?.exact !== true || indentOf(line) > 3) return undefined
  const lead = after.trim()
  if (lead !== "" && !landmark.leads) return undefined
  return { text: text.replace(/:\s*$/, "").trim(), depth: landmark.depth, form: "bold", landmark, lead, height: 1 }
}

const readUnderlined = (line: string, next: string | undefined, knownHeadings: KnownHeadings): Heading | undefined => {
  if (next === undefined || !/^ {0,3}(?:={2,}|-{3,})\s*$/.test(next) || indentOf(line) > 3) return undefined
  if (line.trimStart().startsWith("\\")) return undefined
  const text = line.trim()
  const landmark = knownHeadings(text)
  if (landmark?.exact !== true || readBullets(line).marker !== "none") return undefined
  return { text, depth: landmark.depth, form: "underlined", landmark, lead: "", height: 2 }
}

/** Reads the heading that starts on a line; `next` is the line after it. */
export const readHeading = (
  line: string,
  next: string | undefined,
  knownHeadings: KnownHeadings | undefined
): Heading | undefined => {
  const hashes = indentOf(line) <= 3 ? readHashes(line) : undefined
  if (hashes !== undefined) {
    const plain = plainHeading(hashes.text)
    const landmark = knownHeadings?.(plain)
    const text = landmark === undefined ? plain : plain.replaceAll("\u00a0", " ")
    const form = hashes.spaced ? "hashes" : "unspaced"
    const heading = { text, depth: hashes.depth, form, landmark, lead: "", height: 1 } as const
    if (!hashes.spaced) return landmark?.exact === true ? heading : undefined
    return indentOf(line) === 0 || knownHeadings === undefined || landmark !== undefined ? heading : undefined
  }
  if (knownHeadings === undefined || isBlank(line)) return undefined
  return readBold(line, knownHeadings) ?? readUnderlined(line, next, knownHeadings)
}
