/**
 * The parts of a single line: indentation, list markers, hashes, rules, comments.
 */

const [tab, space, hardSpace] = [0x09, 0x20, 0xa0]

export const indentOf = (line: string): number => {
  let column = 0
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index)
    if (code === tab) column += 4 - (column % 4)
    else if (code === space || code === hardSpace) column += 1
    else break
  }
  return column
}

/** The line without at most `columns` columns of indentation. */
export const dedent = (line: string, columns: number): string => {
  let column = 0
  let index = 0
  while (index < line.length && column < columns) {
    const character = line[index]
    if (character === "\t") {
      const width = 4 - (column % 4)
      if (column + width > columns) return " ".repeat(column + width - columns) + line.slice(index + 1)
      column += width
    } else if (character === " " || character === "\u00a0") column += 1
    else break
    index += 1
  }
  return line.slice(index)
}

export const isRule = (line: string): boolean => /^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)

export const isComment = (line: string): boolean => {
  if (!line.includes("<!--")) return false
  const text = line.trim()
  return text.startsWith("<!--") && text.indexOf("-->") === text.length - 3
}

/** The list markers at the start of a line (`- `, `2. `, also several) and what follows them. */
export interface Bullets {
  readonly indent: number
  /** The column where the content of the item starts; equal to `indent` without a marker. */
  readonly content: number
  readonly marker: "none" | "bullet" | "number"
  readonly rest: string
}

const bullet = /^(?:[-*+•–]|\d{1,9}[.)])(?=\s|$)/
/** What a line with a list marker begins with. */
const mayBeBullet = /^[-*+•–\d]/

/** Reads the list markers of a line; a task box (`[ ]`, `[x]`) counts as part of the marker. */
export const readBullets = (line: string): Bullets => {
  const indent = indentOf(line)
  let rest = line.trimStart()
  if (!mayBeBullet.test(rest)) return { indent, content: indent, marker: "none", rest }
  let content = indent
  let marker: Bullets["marker"] = "none"
  for (let found = bullet.exec(rest); found !== null; found = bullet.exec(rest)) {
    if (isRule(rest)) break
    const [mark] = found
    marker = /\d/.test(mark) ? "number" : "bullet"
    const after = rest.slice(mark.length)
    const gap = indentOf(after)
    rest = after.trimStart()
    content += mark.length + (rest === "" || gap > 4 ? 1 : gap)
  }
  if (marker !== "none") rest = rest.replace(/^\[[ xX]\]\s+/, "")
  return { indent, content, marker, rest }
}

/** `## Tasks`. `spaced` is false for `##Tasks`, which only a known heading may be. */
export interface HashHeading {
  readonly depth: number
  readonly text: string
  readonly spaced: boolean
}

/** Reads a line that starts with one to six hashes; closing hashes are dropped. */
export const readHashes = (line: string): HashHeading | undefined => {
  const trimmed = line.trim()
  if (!trimmed.startsWith("#")) return undefined
  const depth = /^#{1,6}(?!#)/.exec(trimmed)?.[0].length
  if (depth === undefined) return undefined
  const rest = trimmed.slice(depth)
  const text = rest.trim()
  let end = text.length
  while (end > 0 && text[end - 1] === "#") end -= 1
  const closed = end === 0 || (end < text.length && /\s/.test(text[end - 1] ?? ""))
  return { depth, text: closed ? text.slice(0, end).trim() : text, spaced: rest === "" || /^\s/.test(rest) }
}
