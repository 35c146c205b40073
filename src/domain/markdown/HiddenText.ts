/**
 * Finds text of a document that a reader does not see: comments, hidden elements, link titles, alternative texts of
 * images. Headings and fields in it do not count. Otherwise a hidden task could replace the task that the user saw.
 */
import { findFences, Line, readLines } from "./Line.ts"
import { isStructural } from "./MarkdownCleaning.ts"

/** A range of a text in characters. `end` is exclusive. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/** Makes functions that search forwards. Each search remembers its last match, which keeps the total time linear. */
const makeSearch = (text: string) => {
  const lastMatches = new Map<RegExp, { readonly from: number; readonly match: TextPart | undefined }>()
  /** The first match at or after `from`. The pattern needs the flag `g`, and must not contain a lookbehind. */
  const find = (pattern: RegExp, from: number): TextPart | undefined => {
    const before = lastMatches.get(pattern)
    if (before !== undefined && from >= before.from && (before.match === undefined || from <= before.match.start)) {
      return before.match
    }
    pattern.lastIndex = from
    const match = pattern.exec(text)
    const found = match === null ? undefined : { start: match.index, end: match.index + match[0].length }
    lastMatches.set(pattern, { from, match: found })
    return found
  }
  /** True if a match ends at or before `until`. */
  const has = (pattern: RegExp, from: number, until: number): boolean => (find(pattern, from)?.end ?? Infinity) <= until
  const closings = new Map<string, RegExp>()
  /** The first closing tag with this name, from a position on. */
  const closingTag = (name: string, from: number): number | undefined => {
    const closing = closings.get(name.toLowerCase()) ?? new RegExp(`</${name}(?![\\w-])`, "gi")
    closings.set(name.toLowerCase(), closing)
    return find(closing, from)?.start
  }
  return { find, has, closingTag }
}
type Search = ReturnType<typeof makeSearch>

/** Patterns that can open a hidden part. */
const opening =
  /<!--|<\?|<!\[CDATA\[|<![a-z]|<([a-z][\w-]*)(?=[\s/>])|!\[|\]\(\s*<?[^\s<>()]*>?\s+["'(]|^ {0,3}\[[^\]\n]+\]:\s*\S+\s+["'(]/gim

/**
 * The maximum number of quotes in a tag. Text with more quotes does not count as a tag. This keeps the search through
 * many unfinished tags short.
 */
const mostQuotes = 1000

const isHiding = (tag: string): boolean =>
  /^<(?:template|script|style|noscript|title|textarea|datalist)\b/i.test(tag) ||
  /\s(?:hidden(?=[\s=/>])|style\s*=[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0|font-size\s*:\s*0))/i.test(
    tag
  ) ||
  (/^<details\b/i.test(tag) && !/\sopen(?=[\s=/>])/i.test(tag))

/**
 * The position after a tag. A `>` in quotes does not end it. A second `<` means that the text is no tag, except in a
 * block element.
 */
const endOfTag = (text: string, start: number, isBlock: boolean): number | undefined => {
  const sign = isBlock ? /["'>]/g : /["'<>]/g
  sign.lastIndex = start + 1
  for (let quotes = 0; quotes < mostQuotes; quotes += 1) {
    const quote = sign.exec(text)
    if (quote === null) return undefined
    if (quote[0] === ">") return sign.lastIndex
    if (quote[0] === "<") return undefined
    const closing = text.indexOf(quote[0], sign.lastIndex)
    if (closing < 0) return undefined
    sign.lastIndex = closing + 1
  }
  return undefined
}

const blankLine = /\n[ \t]*\n/g

/** The position after the end of a title or image text. Undefined if a blank line comes first. */
const endOfTitle = ({ find, has }: Search, from: number, closing: RegExp): number | undefined => {
  const found = find(closing, from)
  return found === undefined || has(blankLine, from, found.start) ? undefined : found.end
}

/** The pattern for the end of each kind of markup, by the beginning of this markup. Longer beginnings come first. */
const markupEnds = [
  ["<!--", /-->/g],
  ["<![", /\]\]>/g],
  ["<!", />/g],
  ["<?", /\?>/g]
] as const

/** What ends an image text or title, by its first characters. */
const closings: ReadonlyMap<string, RegExp> = new Map([
  ["![", /\]/g],
  ["(", /\)/g],
  ['"', /"/g],
  ["'", /'/g]
])

/** True at the beginning of a line, where HTML is a block and may contain any text. */
const atLineStart = (text: string, start: number): boolean =>
  /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, start - 4), start))

/** Matches the end of a paragraph. Markup that began in the paragraph cannot continue after it. */
const newBlock = /\n[ \t]*(?:\n|#{1,6}\s|`{3}|~{3}|[-*+]\s|\d+[.)]\s|>|(?:[-*_][ \t]*){3,}\n)/g

/** Block elements. Their tags may continue on the next lines. */
const blockNames =
  "address article aside base blockquote body caption center col colgroup datalist dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu nav noframes noscript ol optgroup option p param pre script search section style summary table tbody td template textarea tfoot th thead title tr track ul"
const blockNamed = new Set(blockNames.split(" "))

export const mayHide = (line: string): boolean => {
  if (!line.startsWith("<")) return false
  if (/^<[!?]/.test(line)) return true
  const [tag = "", name = ""] = /^<\/?([a-z][\w-]*)(?=[\s/>]|$)[^>]*>?/i.exec(line) ?? []
  return blockNamed.has(name.toLowerCase()) || (tag.endsWith(">") && isHiding(tag))
}

/** The end of the hidden part that opens here, if any. */
const endOf = (text: string, search: Search, match: RegExpExecArray): number | undefined => {
  const [markup, name] = match
  const start = match.index
  const isAtLineStart = atLineStart(text, start)
  const closing = markupEnds.find(([begins]) => markup.startsWith(begins))?.[1]
  if (closing !== undefined) {
    const end = search.find(closing, start + markup.length)?.end
    if (isAtLineStart) return end ?? text.length
    /** Markup in a paragraph must be closed before the next blank line. Otherwise, it is no markup. */
    return end === undefined || search.has(blankLine, start, end) ? undefined : end
  }
  if (name === undefined) {
    const quote = closings.get(markup) ?? closings.get(markup.at(-1) ?? "")
    return quote === undefined ? undefined : endOfTitle(search, start + markup.length, quote)
  }
  const isBlock = blockNamed.has(name.toLowerCase())
  const tagEnd = isAtLineStart ? endOfTag(text, start, isBlock) : undefined
  if (!isBlock && search.has(newBlock, start, tagEnd ?? text.length)) return undefined
  if (tagEnd === undefined || !isHiding(text.slice(start, tagEnd))) return tagEnd
  return search.closingTag(name, tagEnd) ?? text.length
}

/** Matches a line that looks like structure of a document. In a hidden block, such a line is an issue. */
const looseStructure =
  /^[\s>]*(?:#{1,6}\s|`{3}|~{3}|(?:[-*+]|\d+[.)])\s+\S*\*\*|\*\*|[={-]{3,}\s*$|\{|\[\s*[{"]|<(?:tool|function)_call>|[A-Z][\w /]{2,40}:?\s*$)/m

/** True if a hidden part contains structure after its first line. In a paragraph, only the strict form counts. */
const holdsStructure = (part: string, isBlock: boolean): boolean => {
  const [, ...rest] = part.split("\n")
  return isBlock
    ? looseStructure.test(rest.join("\n"))
    : rest.some((line) => isStructural(new Line(line.replace(/^[\s>]+/, ""))))
}

/** The hidden parts for which `counts` is true. Text in a code block is visible. */
const hiddenParts = (text: string, counts: (inside: string, isBlock: boolean) => boolean): ReadonlyArray<TextPart> => {
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
  const parts: Array<TextPart> = []
  const search = makeSearch(text)
  /**
   * Where the last part that `counts` rejected ends, separately for blocks and paragraphs. Parts that end before this
   * index are not examined again.
   */
  const visibleUntil = { block: 0, paragraph: 0 }
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
    const end = endOf(text, search, match)
    if (end === undefined) continue
    const place = match[0].startsWith("<") && atLineStart(text, start) ? "block" : "paragraph"
    if (end <= visibleUntil[place]) continue
    if (place === "paragraph" && search.has(newBlock, start, end)) continue
    if (!counts(text.slice(start, end), place === "block")) {
      visibleUntil[place] = end
      continue
    }
    parts.push({ start, end })
    seen = end
    opening.lastIndex = end
  }
  return parts
}

export const hiddenStructure = (text: string): ReadonlyArray<TextPart> => hiddenParts(text, holdsStructure)

export const visibleText = (text: string): string =>
  withoutHidden(
    text,
    hiddenParts(text, () => true)
  )

/** Replaces the characters of hidden parts with blanks, so that lines and positions stay the same. */
export const withoutHidden = (text: string, parts: ReadonlyArray<TextPart>): string => {
  let visible = ""
  let from = 0
  for (const { end, start } of parts) {
    visible += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, " ")
    from = end
  }
  return visible + text.slice(from)
}
