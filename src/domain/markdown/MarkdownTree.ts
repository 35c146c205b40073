/**
 * The mdast of a piece of markdown, by remark, and the links in it. Parsing takes more than linear time on nested or
 * crowded text, so a piece above the caps is not parsed at all and the caller says so.
 */
import type { Link, Nodes, Root } from "mdast"
import * as Option from "effect/Option"
import remarkParse from "remark-parse"
import { unified } from "unified"

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
  if (text.length > maximumLength) return false
  let marks = 0
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === "*" || character === "_" || character === "[" || character === "]") marks += 1
    if (character === "[" || character === "(") depth += 1
    else if (character === "]" || character === ")") depth = Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  }
  if (marks > maximumMarks || deepest > maximumNesting) return false
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

const toLink = (node: Link): FoundLink => ({
  title: plainText(node).replace(/\s+/g, " ").trim(),
  href: node.url,
  start: node.position?.start.offset ?? 0,
  end: node.position?.end.offset ?? 0,
  line: node.position?.start.line ?? 1
})

/** All links below a node, in order. @internal */
export const linksOf = (node: Nodes): ReadonlyArray<FoundLink> => {
  if (node.type === "link") return [toLink(node)]
  return "children" in node ? node.children.flatMap(linksOf) : []
}

/** The links of one field, read as running text; nothing when the text is above the caps. */
export const inlineLinks = (text: string): Option.Option<ReadonlyArray<FoundLink>> =>
  !isParsable(text)
    ? Option.none()
    : // Without these signs there is no link, and parsing costs far more than looking.
      Option.some(text.includes("](") || text.includes("<") ? linksOf(inline.parse(text)) : [])
