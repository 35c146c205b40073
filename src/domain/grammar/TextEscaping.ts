/**
 * Escapes free text in documents that the program parses. A line that looks like structure gets a backslash, which the
 * reader removes; text in closed fences stays. Reading returns the written text, except for blanks at line ends and
 * repeated blank lines.
 */
import { Line, readLines, fenceByLine, findFences } from "../markdown/Line.ts"
import { mayHide } from "../markdown/HiddenText.ts"
import { isHeadingLine, isStructural } from "../markdown/MarkdownCleaning.ts"

const withoutBackslashes = (text: string): string => text.replace(/^\\+/, "")

/** The closed fences in free text. An unclosed fence is ordinary text. */
const fencesIn = (text: string) =>
  findFences(
    readLines(text),
    () => false,
    (line) => isHeadingLine(line) || line.isField
  )

const needsBackslash = (line: string): boolean => {
  const plain = withoutBackslashes(line.trimStart())
  return mayHide(plain) || isStructural(new Line(plain))
}

/** True if a reader would take this text for structure when the text directly follows a label. */
const needsBackslashAfterLabel = (text: string): boolean => {
  const plain = withoutBackslashes(text)
  return /^[:：]/.test(plain) || new Line(plain).opening !== undefined
}

/** True for a name or skill that begins with marks which the reader would remove. */
const needsBackslashInLine = (text: string): boolean =>
  /^[\\*_`"'“”‘’«[<(=–—-]/.test(text) || needsBackslashAfterLabel(text)

const escapeLine = (line: string): string => line.replace(/^\s*/, "$&\\")
const unescapeLine = (line: string): string => line.replace(/^(\s*)\\/, "$1")

export const escapeText = (text: string): ReadonlyArray<string> => {
  const fenced = fenceByLine(fencesIn(text))
  return text.split("\n").map((line, index) => (!fenced.has(index) && needsBackslash(line) ? escapeLine(line) : line))
}

export interface EscapedLine {
  readonly text: string
  readonly fenced: boolean
}

/** Removes blanks at line ends, and repeated blank lines outside fences. Markdown ignores both. */
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

/** Reverses `escapeText`, except for the blanks that `tidy` removes. */
export const unescapeText = (lines: ReadonlyArray<EscapedLine>): string => tidy(lines.map(unescapeFree))

/** The escaped value of a field: the text on the label's line, and the lines below it without indentation. */
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

/** True for text that names several skills, such as `search-code, read-code`. */
export const namesSeveralSkills = (text: string): boolean =>
  text.length <= 500 && severalSkills.test(text.replace(/^[-*+]\s+/, ""))

export const escapeSkill = (text: string): string => (namesSeveralSkills(text) ? `\\${text}` : escapeInline(text))

export const escapeInline = (text: string): string => (needsBackslashInLine(text) ? `\\${text}` : text)

export const unescapeInline = (text: string): string => (text.startsWith("\\") ? text.slice(1) : text)
