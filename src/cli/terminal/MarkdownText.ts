/**
 * Renders markdown for a terminal: headings, lists, code, quotes, links and wrapped paragraphs. Other syntax stays as
 * written.
 */
import { harmless } from "../../domain/text/Printable.ts"
import { shownWidth, wrapLine } from "../../domain/text/TextWidth.ts"
import type { Paint } from "./Colour.ts"

export interface MarkdownStyle {
  readonly paint: Paint
  /** The number of columns; undefined if unknown. */
  readonly columns: number | undefined
  readonly isUnicode: boolean
}

/** Emphasis, code, links and escapes within a line. */
const parts =
  /(`+)([^`]|[^`].*?[^`])\1(?!`)|!?\[((?:\\.|[^\]\\])*)\]\((?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"]*")?\)|\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__|(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])|<(https?:\/\/[^\s>]+)>|\\([!-/:-@[-`{-~])/g

/**
 * Shortens the target of a link to a file: `src/a.ts#L12-L40` becomes `src/a.ts:12`. The address of a web page stays as
 * it is.
 */
const placeOf = (href: string): string => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href
  const [, path = href, line] = /^([^#]*)#L(\d+)(?:-L?\d+)?$/.exec(href) ?? []
  try {
    return `${decodeURIComponent(path.replace(/^\.\//, ""))}${line === undefined ? "" : `:${line}`}`
  } catch {
    return href
  }
}

const linkText = (title: string, href: string, paint: Paint): string => {
  const place = placeOf(href)
  const text = title.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
  const bare = text.replaceAll("`", "")
  const isSame =
    bare === href || bare === place || place === bare.replace(/#L(\d+).*$/, ":$1") || place.startsWith(`${bare}:`)
  if (href === "" || href.startsWith("#")) return text
  return isSame || text === "" ? paint.cyan(place) : `${text} (${paint.cyan(place)})`
}

/**
 * Emphasis, code and links are rendered only in lines of at most this many characters. In longer lines, unclosed marks
 * make the search slow.
 */
const longestLine = 4000

const inlineText = (line: string, paint: Paint): string => (line.length > longestLine ? line : withStyles(line, paint))

const withStyles = (line: string, paint: Paint): string =>
  line.replace(
    parts,
    (
      whole: string,
      _ticks: string | undefined,
      code: string | undefined,
      title: string | undefined,
      angled: string | undefined,
      href: string | undefined,
      strong: string | undefined,
      strongToo: string | undefined,
      emphasis: string | undefined,
      address: string | undefined,
      escaped: string | undefined
    ) => {
      if (code !== undefined) return paint.cyan(code.replace(/^ (.*\S.*) $/, "$1"))
      if (title !== undefined) return linkText(title, angled ?? href ?? "", paint)
      const bold = strong ?? strongToo
      if (bold !== undefined) return paint.bold(inlineText(bold, paint))
      if (emphasis !== undefined) return inlineText(emphasis, paint)
      return address === undefined ? (escaped ?? whole) : paint.cyan(address)
    }
  )

/** At most this many columns, because longer lines are hard to read. */
const mostColumns = 100

const wrapped = (lead: string, text: string, indent: string, { columns }: MarkdownStyle): ReadonlyArray<string> =>
  columns === undefined ? [`${lead}${text}`] : wrapLine(`${lead}${text}`, Math.min(columns - 1, mostColumns), indent)

const headingOf = (line: string) => /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)
const itemOf = (line: string) => /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line)
const quoteOf = (line: string) => /^ {0,3}>\s?(.*)$/.exec(line)
const isRule = (line: string): boolean => /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)
const isTable = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line)

/** True if the line continues the paragraph or list item before it. */
const goesOn = (line: string): boolean =>
  line.trim() !== "" &&
  headingOf(line) === null &&
  itemOf(line) === null &&
  quoteOf(line) === null &&
  !isRule(line) &&
  !isTable(line) &&
  !/^\s*(?:`{3,}|~{3,})/.test(line)

/** True for a line that ends with a hard line break. */
const isBroken = (line: string): boolean => / {2,}$|\\$/.test(line)

/** Makes each paragraph a single line. */
const joined = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const paragraphs: Array<string> = []
  let canGoOn = false
  for (const line of lines) {
    const before = paragraphs.at(-1)
    if (canGoOn && before !== undefined && goesOn(line)) {
      paragraphs[paragraphs.length - 1] = `${before.trimEnd()} ${line.trimStart()}`
    } else paragraphs.push(line)
    canGoOn = line.trim() !== "" && headingOf(line) === null && !isRule(line) && !isTable(line) && !isBroken(line)
  }
  return paragraphs.map((line) => line.replace(/(?: {2,}|\\)$/, ""))
}

const lineText = (line: string, style: MarkdownStyle): ReadonlyArray<string> => {
  const { columns = mostColumns, isUnicode, paint } = style
  const heading = headingOf(line)
  if (heading !== null) return wrapped("", paint.bold(inlineText(heading[2] ?? "", paint)), "", style)
  if (isRule(line)) return [paint.dim((isUnicode ? "─" : "-").repeat(Math.min(columns - 1, 40)))]
  if (isTable(line)) return [inlineText(line, paint)]
  const item = itemOf(line)
  if (item !== null) {
    const [, blanks = "", mark = "", text = ""] = item
    const lead = `${blanks}${/\d/.test(mark) ? mark : isUnicode ? "•" : "-"} `
    return wrapped(lead, inlineText(text, paint), " ".repeat(shownWidth(lead)), style)
  }
  const quote = quoteOf(line)
  if (quote !== null) {
    const bar = paint.dim(isUnicode ? "│ " : "| ")
    return wrapped(bar, inlineText(quote[1] ?? "", paint), bar, style)
  }
  return wrapped("", inlineText(line, paint), /^\s*/.exec(line)?.[0] ?? "", style)
}

/** Renders a document or a block, without a final line break. */
export const markdownText = (markdown: string, style: MarkdownStyle): string => {
  const output: Array<string> = []
  let prose: Array<string> = []
  const flush = (): void => {
    output.push(...joined(prose).flatMap((line) => lineText(line, style)))
    prose = []
  }
  let fence: string | undefined
  for (const line of harmless(markdown).trimEnd().split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) {
      flush()
      fence = mark
    } else if (fence !== undefined && mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined
    else if (fence !== undefined) output.push(`    ${line}`)
    else prose.push(line)
  }
  flush()
  return output.join("\n")
}
