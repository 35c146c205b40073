/**
 * Converts the main content of an HTML page to markdown, with absolute links and without controls and decoration. For
 * some pages the libraries need minutes or overflow the stack, so this code runs in a thread with a deadline.
 */
import rehypeRemark from "rehype-remark"
import remarkGfm from "remark-gfm"
import remarkStringify from "remark-stringify"
import { unified } from "unified"
import rehypeParse from "rehype-parse"

export interface HtmlPage {
  readonly title?: string
  /** The markdown. It begins with the title if the page has no top heading. */
  readonly text: string
}

const parser = unified().use(rehypeParse).freeze()

type HtmlTree = ReturnType<typeof parser.parse>
type Node = HtmlTree["children"][number]
type Element = Extract<Node, { readonly type: "element" }>
type Content = Element["children"][number]

/** Elements that are not content. */
const dropped: ReadonlySet<string> = new Set(
  (
    "script style noscript template svg math canvas iframe object embed audio video map dialog nav footer aside button " +
    "input select textarea label datalist progress meter"
  ).split(" ")
)
const droppedRoles: ReadonlySet<string> = new Set(["navigation", "banner", "contentinfo", "complementary", "search"])

/**
 * The maximum span of a table cell. The library creates every cell of a span, so a huge span, by mistake or attack,
 * would use up the memory.
 */
const maxSpan = 50

const isElement = (node: { readonly type: string }): node is Element => node.type === "element"

const isDropped = ({ properties, tagName }: Element): boolean =>
  dropped.has(tagName) ||
  droppedRoles.has(String(properties["role"])) ||
  "hidden" in properties ||
  properties["ariaHidden"] === "true"

const childrenOf = (node: HtmlTree | Element): ReadonlyArray<Element> =>
  (node.children as ReadonlyArray<Node>).filter(isElement)

/** The elements that pass the test, in order. Elements inside these are not searched. */
const findAll = (
  node: HtmlTree | Element,
  passes: (element: Element) => boolean,
  matches2: Array<Element> = []
): ReadonlyArray<Element> => {
  for (const child of childrenOf(node)) {
    if (passes(child)) matches2.push(child)
    else findAll(child, passes, matches2)
  }
  return matches2
}

const hasTag =
  (name: string) =>
  ({ tagName }: Element): boolean =>
    tagName === name

const textOf = (node: Element): string =>
  node.children.map((child) => (child.type === "text" ? child.value : isElement(child) ? textOf(child) : "")).join("")

/** The `<title>` in one line; undefined without one. */
const titleOf = (tree: HtmlTree): string | undefined => {
  const [title] = findAll(tree, ({ tagName }) => tagName === "title" || tagName === "svg" || tagName === "body")
  const text = title?.tagName === "title" ? textOf(title).replace(/\s+/g, " ").trim() : ""
  return text === "" ? undefined : text
}

/** The base URL of relative links. */
const baseOf = (tree: HtmlTree, url: string): string => {
  const href = findAll(tree, hasTag("base"))[0]?.properties["href"]
  return (typeof href === "string" ? URL.parse(href, url)?.href : undefined) ?? url
}

/** The absolute URL of a link. Undefined for a script or a link within the page. */
const absoluteHref = (href: unknown, base: string): string | undefined => {
  if (typeof href !== "string" || href.startsWith("#")) return undefined
  const url = URL.parse(href, base)
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
}

/** The content of an element, without the parts that are dropped. */
const tidy = (element: Element, base: string): ReadonlyArray<Content> => {
  if (isDropped(element)) return []
  const { properties, tagName } = element
  if (tagName === "img") return [{ type: "text", value: String(properties["alt"] ?? "") }]
  const children = element.children.flatMap((child): ReadonlyArray<Content> => {
    if (isElement(child)) return tidy(child, base)
    return child.type === "text" ? [child] : []
  })
  if (tagName === "a") {
    const href = absoluteHref(properties["href"], base)
    return href === undefined ? children : [{ ...element, properties: { href }, children }]
  }
  const { colSpan, rowSpan, ...rest } = properties
  const spans = {
    ...(typeof colSpan === "number" && colSpan <= maxSpan ? { colSpan } : {}),
    ...(typeof rowSpan === "number" && rowSpan <= maxSpan ? { rowSpan } : {})
  }
  return [{ ...element, properties: { ...rest, ...spans }, children }]
}

/** The main content: `<main>`, or else the only `<article>`, or else the body. */
const mainParts = (tree: HtmlTree): ReadonlyArray<Element> => {
  const mains = findAll(tree, ({ properties, tagName }) => tagName === "main" || properties["role"] === "main")
  const articles = mains.length === 0 ? findAll(tree, hasTag("article")) : []
  const found = articles.length === 1 ? articles : mains
  return found.some((part) => textOf(part).trim() !== "") ? found : findAll(tree, hasTag("body"))
}

/** The main content of a page. `base` makes relative links absolute. */
const contentOf = (tree: HtmlTree, base: string): HtmlTree => ({
  type: "root",
  children: mainParts(tree).flatMap((part) => tidy(part, base))
})

const toMarkdown = unified().use(rehypeRemark).freeze()

const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, {
    bullet: "-",
    emphasis: "_",
    rule: "-",
    handlers: {
      /** An underscore inside a word begins no emphasis, so it needs no backslash. */
      text: (node: { readonly value: string }, _parent, state, info) =>
        state.safe(node.value, info).replace(/(?<=\w)\\_(?=\w)/g, "_")
    }
  })
  .freeze()

/** The main content of a page, with absolute links. */
export const htmlMarkdown = (html: string, url: string): HtmlPage => {
  const tree = parser.parse(html)
  const title = titleOf(tree)
  const content = toMarkdown.runSync(contentOf(tree, baseOf(tree, url)))
  const hasHeading = content.children.some((node) => node.type === "heading" && node.depth === 1)
  const body = writer.stringify(content).trim()
  const text = title === undefined || hasHeading ? body : `# ${title}\n\n${body}`.trim()
  return title === undefined ? { text } : { title, text }
}
