/** Finds the block, the declaration or the section that contains a line. */
import { declarationsAround, declarationsOf, indentOf, isProgram } from "../files/Declarations.ts"
import { outline } from "../markdown/Outline.ts"
import { type MarkdownSection, sectionEnd } from "../markdown/Sections.ts"
import type { LineRange } from "../text/LineRange.ts"

/** How many lines are shown before and after a line without a block, or with one that is too long. */
const around = 10

/** How many lines are shown on each side of a line if neither its declaration nor its block fits. */
const nearLines = 3

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

const isCloser = (line: string): boolean => /^\s*(?:[)}\]]|end\b|fi\b|done\b|esac\b)/.test(line)

/** True for a comment, a decorator or an attribute. Such a line belongs to the line below. */
const isLeading = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*|#(?!include|define)|@|--|;;|""")/.test(line)

const sectionsOf = (lines: ReadonlyArray<string>) => {
  const text = outline(lines.join("\n"))
  return (at: number): LineRange => {
    const own = text.sections.findLast(({ line }) => line <= at)
    const end = own === undefined ? (text.sections[0]?.line ?? lines.length + 1) - 1 : sectionEnd(text, own)
    return { from: own?.line ?? 1, to: end }
  }
}

const opener = /(?:[({[:]|=>)\s*$/
/** Lines without indentation even inside a block: preprocessor conditions and labels. */
const marginal = /^(?:#\s*(?:if|el|endif|define|undef|pragma)|\w+:\s*$)/

/** The last line of the block that `header` begins: more indented lines, and the line that closes them. */
export const blockBelow = (lines: ReadonlyArray<string>, header: number, most: number, hasMargin = false): number => {
  const depth = indentOf(lines[header] ?? "")
  let opens = opener.test(lines[header] ?? "")
  let end = header
  for (let index = header + 1; index < lines.length && end - header <= most; index++) {
    const line = lines[index] ?? ""
    if (isBlank(line)) continue
    const isOpening = line.trim() === "{" && !opens
    if (indentOf(line) > depth) end = index
    else if (hasMargin && marginal.test(line)) continue
    else if (indentOf(line) === depth && (isOpening || (isCloser(line) && (end > header || opens)))) {
      end = index
      opens = isOpening || opener.test(line)
      if (!opens && lines[index + 1]?.trim() !== "{") break
    } else break
  }
  return end
}

/** The nearest line above with less indentation. Undefined if it is more than `most` lines away. */
const parentOf = (lines: ReadonlyArray<string>, index: number, most: number): number | undefined => {
  const depth = indentOf(lines[index] ?? "")
  for (let above = index - 1; above >= Math.max(0, index - most); above--) {
    const line = lines[above] ?? ""
    if (!isBlank(line) && indentOf(line) < depth && !isCloser(line)) return above
  }
  return undefined
}

/**
 * Finds the nearest line above `at` that is not blank and closes no block. If `at` closes a block, this is the first
 * line of that block or a line inside it.
 */
const lineAbove = (lines: ReadonlyArray<string>, at: number): number => {
  const above = lines.slice(0, at).findLastIndex((line) => !isBlank(line) && !isCloser(line))
  return above < 0 ? at : above
}

const withLeading = (lines: ReadonlyArray<string>, header: number): number => {
  let start = header
  while (start > 0 && isLeading(lines[start - 1] ?? "")) start -= 1
  return start
}

/** The largest block around the line `at` with at most `most` lines. Undefined if all are larger. */
const indented = (lines: ReadonlyArray<string>, at: number, most: number): LineRange | undefined => {
  let enclosing: LineRange | undefined
  let header: number | undefined = isCloser(lines[at] ?? "") ? lineAbove(lines, at) : at
  for (let steps = 0; header !== undefined && steps < 50; steps++) {
    const from = withLeading(lines, header)
    const to = blockBelow(lines, header, most)
    if (to - from + 1 > most) break
    if (to > from && to >= at) enclosing = { from: from + 1, to: to + 1 }
    header = parentOf(lines, header, most)
  }
  return enclosing
}

/** Pairs of lines with opening and closing braces. Braces in strings and comments can make wrong pairs. */
const bracesOf = (lines: ReadonlyArray<string>): ReadonlyArray<LineRange> => {
  const open: Array<number> = []
  const pairs: Array<LineRange> = []
  for (const [index, line] of lines.entries()) {
    for (const [mark] of line.replaceAll(/"[^"]*"|'[^']*'|\/\/.*$/g, "").matchAll(/[{}]/g)) {
      const start = mark === "{" ? void open.push(index) : open.pop()
      if (start !== undefined && index > start) pairs.push({ from: start + 1, to: index + 1 })
    }
  }
  return pairs
}

export const proses = new Set(["markdown", "mdx"])
const plain = new Set(["", "text", "csv", "jsonl"])

/**
 * Returns a function that finds the block or section that contains a line, with at most `most` lines. Lines count from
 * 1.
 */
export const enclosingLines = (lines: ReadonlyArray<string>, language: string) => {
  const sections = proses.has(language) ? sectionsOf(lines) : undefined
  let braces: ReadonlyArray<LineRange> | undefined
  const braced = (line: number, most: number): LineRange | undefined => {
    braces ??= bracesOf(lines)
    return braces.find(({ from, to }) => from <= line && line <= to && to - from < most)
  }
  return (line: number, most = 80): LineRange => {
    const near = Math.min(around, Math.floor((most - 1) / 2))
    const window = { from: Math.max(1, line - near), to: Math.min(lines.length, line + near) }
    if (plain.has(language)) return window
    const found = sections?.(line) ?? indented(lines, line - 1, most) ?? braced(line, most) ?? window
    if (found.to - found.from < most) return found
    return { from: Math.max(found.from, window.from), to: Math.min(found.to, window.to) }
  }
}

/** The lines near a line, which counts from 1. */
export const linesNear = (lines: ReadonlyArray<string>, line: number): LineRange => ({
  from: Math.max(1, line - nearLines),
  to: Math.min(lines.length, line + nearLines)
})

/** Languages with unindented preprocessor lines and labels inside a block. */
const margins = new Set(["c", "cpp", "cuda", "objectivec"])

/**
 * Returns a function that finds the innermost declaration around lines, with the comments above. Lines count from 1.
 */
export const declarationLines =
  (lines: ReadonlyArray<string>, language: string, all = declarationsOf(lines, language)) =>
  ({ from, to }: LineRange): LineRange | undefined => {
    for (const { index } of declarationsAround(lines, all, from - 1).toReversed()) {
      const end = blockBelow(lines, index, lines.length, margins.has(language)) + 1
      if (end >= to && end > index + 1) return { from: withLeading(lines, index) + 1, to: end }
    }
    return undefined
  }

/** True for a language in which `enclosingNames` can find names. */
export const hasNames = (language: string): boolean => isProgram(language) || proses.has(language)

const mostNames = 2
const longestName = 60

/**
 * Returns a function that names the innermost declarations around a line, such as `Schema.validate`. In prose, it
 * returns the heading above the line. Empty outside declarations, and on a declaration or heading itself.
 */
export const enclosingNames = (lines: ReadonlyArray<string>, language: string) => {
  const isText = proses.has(language)
  const all = declarationsOf(lines, language)
  let sections: ReadonlyArray<MarkdownSection> | undefined
  return (index: number): string => {
    if (!isText) {
      const around = declarationsAround(lines, all, index).filter((one) => one.index !== index)
      return around
        .slice(-mostNames)
        .map(({ name }) => name)
        .join(".")
    }
    sections ??= outline(lines.join("\n")).sections
    const own = sections.findLast(({ line }) => line <= index + 1)
    const text = own === undefined || own.line === index + 1 ? "" : (lines[own.line - 1] ?? "").trim()
    return text.length > longestName ? `${text.slice(0, longestName)}...` : text
  }
}
