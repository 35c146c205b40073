/**
 * Functions that need the parser remark: they make syntax trees, find links, and move foreign markdown below a heading.
 * Parsing time of nested or dense text grows faster than its length. Text of unknown origin is therefore not parsed if
 * it exceeds a limit, and the caller reports it.
 */
import type { Heading, Nodes, Root, RootContent } from "mdast"
import * as Option from "effect/Option"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { fenced } from "./PromptBlock.ts"

/** A link with its label as plain text. Offsets are positions in the parsed text. */
export interface FoundLink {
  readonly title: string
  readonly href: string
  readonly start: number
  readonly end: number
  readonly line: number
}

const maximumLength = 65_536
const maximumMarks = 4000
const maximumNesting = 64

const markdown = unified().use(remarkParse)

// Markdown constructs that are not parsed in a field. Only the links of a field matter, and a block could hide a link.
const blockAndEmphasis =
  "attention blockQuote codeFenced codeIndented definition headingAtx htmlFlow htmlText labelStartImage list setextUnderline thematicBreak".split(
    " "
  )
const inline = unified()
  .data("micromarkExtensions", [{ disable: { null: blockAndEmphasis } }])
  .use(remarkParse)

/** True if remark can parse the text quickly. @internal */
export const isParsable = (text: string): boolean => {
  if (text.length > maximumLength || (text.match(/[*_[\]]/g)?.length ?? 0) > maximumMarks) return false
  let depth = 0
  for (const [bracket] of text.matchAll(/[[(\])]/g)) {
    depth = bracket === "[" || bracket === "(" ? depth + 1 : Math.max(0, depth - 1)
    if (depth > maximumNesting) return false
  }
  return text.split("\n").every((line) => {
    const lead = /^[\s>*+-]*/.exec(line)?.[0] ?? ""
    return lead.length <= 4 * maximumNesting && lead.replace(/\s/g, "").length <= maximumNesting
  })
}

const shiftLines = (node: Nodes, lines: number): void => {
  if (node.position !== undefined) {
    node.position.start.line += lines
    node.position.end.line += lines
  }
  if ("children" in node) for (const child of node.children) shiftLines(child, lines)
}

/** The tree of a text that starts at `line` of its document; none if the text exceeds the limits. @internal */
export const parseMarkdown = (text: string, line: number): Option.Option<Root> => {
  if (!isParsable(text)) return Option.none()
  const tree = markdown.parse(text)
  shiftLines(tree, line - 1)
  return Option.some(tree)
}

const plainText = (node: Nodes): string => {
  if (node.type === "text" || node.type === "inlineCode") return node.value
  if (node.type === "break") return " "
  if (node.type === "image") return node.alt ?? ""
  return "children" in node ? node.children.map(plainText).join("") : ""
}

const offsets = ({ position }: { readonly position?: Nodes["position"] }): readonly [start: number, end: number] => [
  position?.start.offset ?? 0,
  position?.end.offset ?? 0
]

/** All links below a node, in order. @internal */
export const linksOf = (node: Nodes): ReadonlyArray<FoundLink> => {
  if (node.type !== "link") return "children" in node ? node.children.flatMap(linksOf) : []
  const [start, end] = offsets(node)
  const title = plainText(node).replace(/\s+/g, " ").trim()
  return [{ title, href: node.url, start, end, line: node.position?.start.line ?? 1 }]
}

/** A quick test before parsing: without these signs, a text has no link. */
const mayHoldLink = (text: string): boolean => text.includes("](") || text.includes("<")

/** The links of one field, read as running text; none if the text exceeds the limits. */
export const inlineLinks = (text: string): Option.Option<ReadonlyArray<FoundLink>> =>
  !isParsable(text) ? Option.none() : Option.some(mayHoldLink(text) ? linksOf(inline.parse(text)) : [])

/** The links of any markdown text; empty if the text exceeds the limits. */
export const markdownLinks = (text: string): ReadonlyArray<FoundLink> =>
  mayHoldLink(text) ? Option.match(parseMarkdown(text, 1), { onNone: () => [], onSome: linksOf }) : []

const headingText = (text: string, { children }: Heading): string => {
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined) return ""
  return text.slice(offsets(first)[0], offsets(last)[1]).replace(/\s*\n\s*/g, " ")
}

/** Matches the beginning of blocks that can continue after an empty line. */
const mayStayOpen = /`{3}|~{3}|</

/** The last block, if it is still open at the end. A heading after the text would become a part of this block. */
const openBlock = (text: string): RootContent | undefined => {
  if (!mayStayOpen.test(text)) return undefined
  const last = markdown.parse(`${text}\n\n# end`).children.at(-1)
  return last?.type === "heading" ? undefined : last
}

/**
 * Closes a fence that is open at the end. If another block is open, such as an HTML comment, the whole text is fenced.
 */
const closeMarkdown = (text: string): string => {
  const open = openBlock(text)
  if (open === undefined) return text
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(text.slice(offsets(open)[0]))?.[1]
  const closed = fence === undefined ? undefined : `${text}\n${fence}`
  return closed !== undefined && openBlock(closed) === undefined ? closed : fenced(text, "markdown")
}

/** A quick test before parsing: every heading begins with `#` or is underlined. */
const mayHaveHeading = /^[ \t]*(?:#|=+[ \t]*$|-+[ \t]*$)/m

/**
 * Makes all headings deeper than the level `below` (1 to 5), and keeps their relative levels if six levels are enough.
 * Closes a block that is open at the end.
 */
export const nestMarkdown = (text: string, below: number): string => {
  const closed = closeMarkdown(text.trim())
  if (!mayHaveHeading.test(closed)) return closed
  const headings = markdown.parse(closed).children.filter((node) => node.type === "heading")
  const shift = Math.max(0, below + 1 - Math.min(...headings.map(({ depth }) => depth)))
  let moved = ""
  let rest = 0
  for (const heading of headings) {
    const [start, end] = offsets(heading)
    const hashes = "#".repeat(Math.min(6, heading.depth + shift))
    moved += `${closed.slice(rest, start)}${hashes} ${headingText(closed, heading)}`
    rest = end
  }
  return moved + closed.slice(rest)
}
