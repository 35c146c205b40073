/**
 * Puts foreign markdown under a heading of ours without letting it change what follows: its headings move down, and
 * what it leaves open is closed. Used for the project description and for the results of tasks.
 */
import type { Heading, RootContent } from "mdast"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { fenced } from "./PromptBlock.ts"

const parser = unified().use(remarkParse)

const offsets = (node: { readonly position?: Heading["position"] }): readonly [number, number] => [
  node.position?.start.offset ?? 0,
  node.position?.end.offset ?? 0
]

const headingText = (text: string, heading: Heading): string => {
  const first = heading.children[0]
  const last = heading.children.at(-1)
  return first === undefined || last === undefined
    ? ""
    : text.slice(offsets(first)[0], offsets(last)[1]).replace(/\s*\n\s*/g, " ")
}

const demoteHeadings = (text: string, children: ReadonlyArray<RootContent>, below: number): string => {
  const headings = children.filter((node) => node.type === "heading")
  const top = Math.min(...headings.map((heading) => heading.depth))
  const shift = Math.max(0, below + 1 - top)
  let out = ""
  let rest = 0
  for (const heading of headings) {
    const [from, to] = offsets(heading)
    const hashes = "#".repeat(Math.min(6, heading.depth + shift))
    out += `${text.slice(rest, from)}${hashes} ${headingText(text, heading)}`
    rest = to
  }
  return out + text.slice(rest)
}

/** The block that is still open at the end of the text, if there is one: it would swallow a heading put after it. */
const openBlock = (text: string): RootContent | undefined => {
  const last = parser.parse(`${text}\n\n# end`).children.at(-1)
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
 * The text with every heading deeper than `below` (a level, 1 to 5), order of levels kept as far as six levels allow.
 * A heading that is put after it is never swallowed.
 */
export const nestMarkdown = (text: string, below: number): string => {
  const closed = closeMarkdown(text.trim())
  return demoteHeadings(closed, parser.parse(closed).children, below)
}
