/**
 * HTML to markdown by the libraries of the unified family. What a page holds is not known before, and some pages take
 * them minutes or overflow the stack: services/web/HtmlReader calls this in a thread of its own, with a deadline.
 */
import rehypeRemark from "rehype-remark"
import remarkGfm from "remark-gfm"
import remarkStringify from "remark-stringify"
import { unified } from "unified"
import { baseOf, contentOf, parseHtml, titleOf } from "./HtmlTree.ts"

/** The readable form of an HTML page. */
export interface HtmlPage {
  /** The text of its `<title>`, where it has one. */
  readonly title?: string
  /** Markdown; begins with the title as heading when the content has no heading of the first level. */
  readonly text: string
}

const toMarkdown = unified().use(rehypeRemark).freeze()

const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, {
    bullet: "-",
    emphasis: "_",
    rule: "-",
    handlers: {
      /** An underscore within a word never begins emphasis; without its backslash a name can be copied. */
      text: (node: { readonly value: string }, _parent, state, info) =>
        state.safe(node.value, info).replace(/(?<=\w)\\_(?=\w)/g, "_")
    }
  })
  .freeze()

/** The main content of a page; its links are made absolute with the URL of the page. */
export const htmlMarkdown = (html: string, url: string): HtmlPage => {
  const tree = parseHtml(html)
  const title = titleOf(tree)
  const content = toMarkdown.runSync(contentOf(tree, baseOf(tree, url)))
  const hasHeading = content.children.some((node) => node.type === "heading" && node.depth === 1)
  const body = writer.stringify(content).trim()
  const text = title === undefined || hasHeading ? body : `# ${title}\n\n${body}`.trim()
  return title === undefined ? { text } : { title, text }
}
