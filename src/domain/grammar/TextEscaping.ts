/**
 * How free text is written in a document that has a grammar. A line that a reader would take for a heading, a field, a
 * fence or other structure gets one backslash before it, which reading removes. Text inside closed fences stays as it is.
 * Writing and reading are exact opposites for text without blanks at line ends and without repeated blank lines.
 */
import { Line, readLines, fenceByLine, findFences } from "../markdown/Line.ts"
import { mayHide } from "../markdown/HiddenText.ts"
import { isHeadingLine, isStructural } from "../markdown/MarkdownCleaning.ts"

const withoutBackslashes = (text: string): string => text.replace(/^\\+/, "")

/** In free text an unclosed fence is text. */
const fencesIn = (text: string) =>
  findFences(
    readLines(text),
    () => false,
    (line) => isHeadingLine(line) || line.isField
  )

/** What could be taken for something else at the start of a line. */
const needsBackslash = (line: string): boolean => {
  const plain = withoutBackslashes(line.trimStart())
  return mayHide(plain) || isStructural(new Line(plain))
}

/** What could be taken for something else directly after a label. */
const needsBackslashAfterLabel = (text: string): boolean => {
  const plain = withoutBackslashes(text)
  return /^[:：]/.test(plain) || new Line(plain).opening !== undefined
}

/** Names and skills are one line of plain text, around which marks are taken off. */
const needsBackslashInLine = (text: string): boolean =>
  /^[\\*_`"'“”‘’«[<(=–—-]/.test(text) || needsBackslashAfterLabel(text)

const escapeLine = (line: string): string => line.replace(/^\s*/, "$&\\")
const unescapeLine = (line: string): string => line.replace(/^(\s*)\\/, "$1")

/** The lines of a string as they stand in a document. */
export const escapeText = (text: string): ReadonlyArray<string> => {
  const fenced = fenceByLine(fencesIn(text))
  return text.split("\n").map((line, index) => (!fenced.has(index) && needsBackslash(line) ? escapeLine(line) : line))
}

export interface EscapedLine {
  readonly text: string
  readonly fenced: boolean
}

/** Blanks at line ends and repeated blank lines have no meaning in markdown, except inside a fence. */
const tidy = (lines: ReadonlyArray<EscapedLine>): string => {
  const kept: Array<string> = []
  let wasBlank = true
  for (const { fenced, text } of lines) {
    const line = fenced ? text : text.trimEnd()
    const isBlank = !fenced && line === ""
    if (!isBlank || !wasBlank) kept.push(line)
    wasBlank = isBlank
  }
  return kept.join("\n").trim()
}

const unescapeFree = ({ fenced, text }: EscapedLine): EscapedLine => {
  const isEscaped = !fenced && text.trimStart().startsWith("\\") && needsBackslash(text)
  return { fenced, text: isEscaped ? unescapeLine(text) : text }
}

/** The text that lines of a document stand for; the opposite of `escapeText` for tidy text. */
export const unescapeText = (lines: ReadonlyArray<EscapedLine>): string => tidy(lines.map(unescapeFree))

/** A string as the value of a field: what stands on the line of the label, and the lines under it without indentation. */
export const escapeValue = (text: string): { readonly first: string; readonly rest: ReadonlyArray<string> } => {
  const lines = escapeText(text)
  if (fencesIn(text)[0]?.first === 0) return { first: "", rest: lines }
  const [first = ""] = text.split("\n")
  return { first: needsBackslashAfterLabel(first) ? escapeLine(first) : first, rest: lines.slice(1) }
}

export const unescapeValue = (first: string, rest: ReadonlyArray<EscapedLine>): string => {
  const text = first.startsWith("\\") && needsBackslashAfterLabel(first) ? unescapeLine(first) : first
  return tidy([{ text, fenced: false }, ...rest.map(unescapeFree)])
}

const skillWord = "[`*\"']*[\\w-]+[`*\"']*"
const skillJoint = "\\s*(?:[,;/&+|]|\\band\\b|\\bor\\b)\\s*"
const severalSkills = new RegExp(`^${skillWord}(?:${skillJoint}${skillWord})+$`, "i")

/** True for `search-code, read-code`: a skill is one word. */
export const namesSeveralSkills = (text: string): boolean =>
  text.length <= 500 && severalSkills.test(text.replace(/^[-*+]\s+/, ""))

/** A skill as it stands after its label. */
export const escapeSkill = (text: string): string => (namesSeveralSkills(text) ? `\\${text}` : escapeInline(text))

/** A name as it stands after its label. */
export const escapeInline = (text: string): string => (needsBackslashInLine(text) ? `\\${text}` : text)

export const unescapeInline = (text: string): string => (text.startsWith("\\") ? text.slice(1) : text)
