/**
 * Finds text of a document that a person who reads it does not see: comments, hidden elements, titles of links, texts for
 * images. Structure of a document in there does not count, since it could replace what was seen.
 */
import { findFences, Line, readLines } from "./Line.ts"
import { isStructural } from "./StructuralLine.ts"

/** A hidden part: character positions, the end excluded. */
export interface HiddenPart {
  readonly start: number
  readonly end: number
}

/** What opens a part, as it may stand in a line. */
const opening =
  /<!--|<\?|<!\[CDATA\[|<![a-z]|<([a-z][\w-]*)(?=[\s/>])|!\[|\]\(\s*<?[^\s<>()]*>?\s+["'(]|^ {0,3}\[[^\]\n]+\]:\s*\S+\s+["'(]/gim

/** Attributes of a tag are followed so far, so that many unfinished tags take no long time. */
const mostQuotes = 1000

const isHiding = (tag: string): boolean =>
  /^<(?:template|script|style|noscript|title|textarea|datalist)\b/i.test(tag) ||
  /\s(?:hidden(?=[\s=/>])|style\s*=[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0|font-size\s*:\s*0))/i.test(
    tag
  ) ||
  (/^<details\b/i.test(tag) && !/\sopen(?=[\s=/>])/i.test(tag))

/** The position after a text, or nothing; `isOpenEnded` takes the rest when the text does not come. */
const after = (text: string, sought: string, from: number, isOpenEnded: boolean): number | undefined => {
  const at = text.indexOf(sought, from)
  if (at >= 0) return at + sought.length
  return isOpenEnded ? text.length : undefined
}

/** Where a tag ends; a `>` in quotes does not end it. */
const endOfTag = (text: string, start: number): number | undefined => {
  const sign = /["'>]/g
  sign.lastIndex = start
  for (let quotes = 0; quotes < mostQuotes; quotes += 1) {
    const found = sign.exec(text)
    if (found === null) return undefined
    if (found[0] === ">") return sign.lastIndex
    const closing = text.indexOf(found[0], sign.lastIndex)
    if (closing < 0) return undefined
    sign.lastIndex = closing + 1
  }
  return undefined
}

/** Where a title or a text in brackets ends: at its closing character, before a blank line. */
const endOfTitle = (text: string, from: number, closing: string): number | undefined => {
  const at = text.indexOf(closing, from)
  return at < 0 || /\n[ \t]*\n/.test(text.slice(from, at)) ? undefined : at + 1
}

/** Markup that is no element, by its first characters; the longer ones first. */
const markupEnds = [
  ["<!--", "-->"],
  ["<![", "]]>"],
  ["<!", ">"],
  ["<?", "?>"]
] as const

const closings: Readonly<Record<string, string>> = { "(": ")" }

/** HTML that begins a line is a block of its own, and holds what it likes. */
const atLineStart = (text: string, start: number): boolean =>
  /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, start - 4), start))

/** What ends a paragraph, and with it all that was opened within. */
const newBlock = /\n[ \t]*(?:\n|#{1,6}\s|`{3}|~{3}|[-*+]\s|\d+[.)]\s|>|(?:[-*_][ \t]*){3,}\n)/

/** Elements that are blocks of their own although their tag goes on in the next lines. */
const blockNames =
  "address article aside base blockquote body caption center col colgroup datalist dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu nav noframes noscript ol optgroup option p param pre script search section style summary table tbody td template textarea tfoot th thead title tr track ul"
const blockNamed = new Set(blockNames.split(" "))

/** True for a line with which a block may begin that hides what follows it. */
export const mayHide = (line: string): boolean => {
  if (/^<[!?]/.test(line)) return true
  const [tag = "", name = ""] = /^<\/?([a-z][\w-]*)(?=[\s/>]|$)[^>]*>?/i.exec(line) ?? []
  return blockNamed.has(name.toLowerCase()) || (tag.endsWith(">") && isHiding(tag))
}

/** Where the part that is opened ends; nothing when it is visible. */
const endOf = (text: string, found: string, start: number, name: string | undefined): number | undefined => {
  const isAtLineStart = atLineStart(text, start)
  const closing = markupEnds.find(([begins]) => found.startsWith(begins))?.[1]
  if (closing !== undefined) {
    const end = after(text, closing, start + found.length, isAtLineStart)
    /* Within a paragraph, a blank line shows that nothing was opened. */
    return end !== undefined && (isAtLineStart || !/\n[ \t]*\n/.test(text.slice(start, end))) ? end : undefined
  }
  if (found === "![") return endOfTitle(text, start + 2, "]")
  if (name === undefined) {
    const quote = found.at(-1) ?? ""
    return endOfTitle(text, start + found.length, closings[quote] ?? quote)
  }
  const tagEnd = isAtLineStart ? endOfTag(text, start) : undefined
  if (!blockNamed.has(name.toLowerCase()) && newBlock.test(text.slice(start, tagEnd))) return undefined
  if (tagEnd === undefined || !isHiding(text.slice(start, tagEnd))) return tagEnd
  const closingTag = new RegExp(`</${name}`, "gi")
  closingTag.lastIndex = tagEnd
  return closingTag.exec(text)?.index ?? text.length
}

/** Calls, loosely written fields and headings: nothing of that is for people in a block that nobody sees. */
const looseStructure =
  /^[\s>]*(?:#{1,6}\s|`{3}|~{3}|(?:[-*+]|\d+[.)])\s+\S*\*\*|\*\*|[={-]{3,}\s*$|\{|\[\s*[{"]|<(?:tool|function)_call>|[A-Z][\w /]{2,40}:?\s*$)/m

/** True when the lines after the first hold structure of a document; within a paragraph only what a reader would take for it. */
const holdsStructure = (part: string, isBlock: boolean): boolean => {
  const [, ...rest] = part.split("\n")
  return isBlock
    ? looseStructure.test(rest.join("\n"))
    : rest.some((line) => isStructural(new Line(line.replace(/^[\s>]+/, ""))))
}

/** The hidden parts of a text that count. What is in a code block is visible. */
const hiddenParts = (
  text: string,
  counts: (inside: string, isBlock: boolean) => boolean
): ReadonlyArray<HiddenPart> => {
  if (!/[<\]]|!\[/.test(text)) return []
  const lines = readLines(text)
  const starts: Array<number> = []
  let position = 0
  for (const { text: line } of lines) {
    starts.push(position)
    position += line.length + 1
  }
  const fences = findFences(lines, () => false).map(({ first, last }) => ({
    start: starts[first] ?? 0,
    end: starts[last + 1] ?? text.length
  }))
  const parts: Array<HiddenPart> = []
  let seen = 0
  let fence = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = match.index
    while (fence < fences.length && (fences[fence]?.end ?? 0) <= start) fence += 1
    const around = fences[fence]
    if (start < seen) continue
    if (around !== undefined && around.start <= start) {
      opening.lastIndex = around.end
      continue
    }
    const end = endOf(text, match[0], start, match[1])
    if (end === undefined) continue
    const inside = text.slice(start, end)
    const isBlock = match[0].startsWith("<") && atLineStart(text, start)
    if (!isBlock && newBlock.test(inside)) continue
    if (!counts(inside, isBlock)) continue
    parts.push({ start, end })
    seen = end
    opening.lastIndex = end
  }
  return parts
}

/** The hidden parts of a text that hold structure of a document. */
export const hiddenStructure = (text: string): ReadonlyArray<HiddenPart> => hiddenParts(text, holdsStructure)

/** The text with blanks instead of everything that is hidden. */
export const visibleText = (text: string): string =>
  withoutHidden(
    text,
    hiddenParts(text, () => true)
  )

/** The text with blanks instead of hidden parts; lines and positions stay. */
export const withoutHidden = (text: string, parts: ReadonlyArray<HiddenPart>): string => {
  let shown = ""
  let from = 0
  for (const { end, start } of parts) {
    shown += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, " ")
    from = end
  }
  return shown + text.slice(from)
}
