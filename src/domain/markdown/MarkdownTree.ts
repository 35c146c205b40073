/**
 * What remark is asked for: the tree of a piece of markdown, the links in it, and foreign markdown put under a heading of
 * ours. Parsing takes more than linear time on nested or crowded text, so where any text may come a piece above the caps
 * is not parsed at all and the caller says so.
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
  /** 1-based line in the document. */
  readonly line: number
}

const maximumLength = 65_536
const maximumMarks = 4000
const maximumNesting = 64

const markdown = unified().use(remarkParse)

// Within one field only links matter; emphasis and blocks would cost time and hide text.
const inline = unified()
  .data("micromarkExtensions", [
    {
      disable: {
        null: [
          "attention",
          "blockQuote",
          "codeFenced",
          "codeIndented",
          "definition",
          "headingAtx",
          "htmlFlow",
          "htmlText",
          "labelStartImage",
          "list",
          "setextUnderline",
          "thematicBreak"
        ]
      }
    }
  ])
  .use(remarkParse)

/** True when remark can parse the text in little time. */
const isParsable = (text: string): boolean => {
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

/** The tree of a text that starts at `line` of its document; nothing when the text is above the caps. @internal */
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

/** Finds the links of one field, read as running text; nothing when the text is above the caps. */
export type LinkReader = (text: string) => Option.Option<ReadonlyArray<FoundLink>>

export const inlineLinks: LinkReader = (text) =>
  !isParsable(text)
    ? Option.none()
    : // Without these signs there is no link, and parsing costs far more than looking.
      Option.some(text.includes("](") || text.includes("<") ? linksOf(inline.parse(text)) : [])

/**
 * Finds links and remembers them for as long as it is held itself. Finding links is what reading a task list costs, and
 * the same field is read more than once: while the answer is written, when it is complete, and in an answer that repeats
 * it.
 */
export const cacheLinks = (find: LinkReader = inlineLinks): LinkReader => {
  const known = new Map<string, ReturnType<LinkReader>>()
  return (text) => {
    const found = known.get(text) ?? find(text)
    known.set(text, found)
    return found
  }
}

const headingText = (text: string, { children }: Heading): string => {
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined) return ""
  return text.slice(offsets(first)[0], offsets(last)[1]).replace(/\s*\n\s*/g, " ")
}

/** The block that is still open at the end of the text, if there is one: it would swallow a heading put after it. */
const openBlock = (text: string): RootContent | undefined => {
  const last = markdown.parse(`${text}\n\n# end`).children.at(-1)
  return last?.type === "heading" ? undefined : last
}

/**
 * The text with a fence closed that it leaves open, so that what is put after it is not swallowed. When something else is
 * open (an HTML comment), the whole text is fenced.
 */
export const closeMarkdown = (text: string): string => {
  const open = openBlock(text)
  if (open === undefined) return text
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(text.slice(offsets(open)[0]))?.[1]
  const closed = fence === undefined ? undefined : `${text}\n${fence}`
  return closed !== undefined && openBlock(closed) === undefined ? closed : fenced(text, "markdown")
}

/**
 * Foreign markdown for a place under a heading of ours: the text with every heading deeper than `below` (a level, 1 to
 * 5), the order of levels kept as far as six levels allow. A heading that is put after it is never swallowed.
 */
export const nestMarkdown = (text: string, below: number): string => {
  const closed = closeMarkdown(text.trim())
  const headings = markdown.parse(closed).children.filter((node) => node.type === "heading")
  const shift = Math.max(0, below + 1 - Math.min(...headings.map(({ depth }) => depth)))
  let nested = ""
  let rest = 0
  for (const heading of headings) {
    const [start, end] = offsets(heading)
    const hashes = "#".repeat(Math.min(6, heading.depth + shift))
    nested += `${closed.slice(rest, start)}${hashes} ${headingText(closed, heading)}`
    rest = end
  }
  return nested + closed.slice(rest)
}
