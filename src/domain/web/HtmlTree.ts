/**
 * An HTML page as a tree, reduced to what a reader wants: the main content, without controls and decoration, with links
 * that hold outside of the page. Called by domain/web/HtmlMarkdown.
 */
import rehypeParse from "rehype-parse"
import { unified } from "unified"

const parser = unified().use(rehypeParse).freeze()

export type HtmlTree = ReturnType<typeof parser.parse>
type Node = HtmlTree["children"][number]
type Element = Extract<Node, { readonly type: "element" }>
type Content = Element["children"][number]

/** The tree of a text that may be anything. */
export const parseHtml = (html: string): HtmlTree => parser.parse(html)

/** What no reader of the content wants: code, pictures, controls, and what is around the content. */
const dropped: ReadonlySet<string> = new Set(
  (
    "script style noscript template svg math canvas iframe object embed audio video map dialog nav footer aside button " +
    "input select textarea label datalist progress meter"
  ).split(" ")
)
const droppedRoles: ReadonlySet<string> = new Set(["navigation", "banner", "contentinfo", "complementary", "search"])

/** A table that claims more is a mistake, or an attack: its cells would be made. */
const maxSpan = 50

const isElement = (node: { readonly type: string }): node is Element => node.type === "element"

const isDropped = ({ properties, tagName }: Element): boolean =>
  dropped.has(tagName) ||
  droppedRoles.has(String(properties["role"])) ||
  "hidden" in properties ||
  properties["ariaHidden"] === "true"

const childrenOf = (node: HtmlTree | Element): ReadonlyArray<Element> =>
  (node.children as ReadonlyArray<Node>).filter(isElement)

/** All elements that pass, in the order of the page; what is inside of one that passes is not searched. */
const findAll = (
  node: HtmlTree | Element,
  passes: (element: Element) => boolean,
  found: Array<Element> = []
): ReadonlyArray<Element> => {
  for (const child of childrenOf(node)) {
    if (passes(child)) found.push(child)
    else findAll(child, passes, found)
  }
  return found
}

const named =
  (name: string) =>
  ({ tagName }: Element): boolean =>
    tagName === name

const textOf = (node: Element): string =>
  node.children.map((child) => (child.type === "text" ? child.value : isElement(child) ? textOf(child) : "")).join("")

/** The text of `<title>` on one line; nothing when there is none. */
export const titleOf = (tree: HtmlTree): string | undefined => {
  const [title] = findAll(tree, ({ tagName }) => tagName === "title" || tagName === "svg" || tagName === "body")
  const text = title?.tagName === "title" ? textOf(title).replace(/\s+/g, " ").trim() : ""
  return text === "" ? undefined : text
}

/** Where relative links of the page start. */
export const baseOf = (tree: HtmlTree, url: string): string => {
  const href = findAll(tree, named("base"))[0]?.properties["href"]
  return (typeof href === "string" ? URL.parse(href, url)?.href : undefined) ?? url
}

/** The link as it holds anywhere; nothing for one that leads nowhere, such as to a script or within the page. */
const absoluteHref = (href: unknown, base: string): string | undefined => {
  if (typeof href !== "string" || href.startsWith("#")) return undefined
  const url = URL.parse(href, base)
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
}

/** What stays of an element, with what it holds. */
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

/** `<main>` when the page has it, else its only `<article>`, else the body. */
const mainParts = (tree: HtmlTree): ReadonlyArray<Element> => {
  const mains = findAll(tree, ({ properties, tagName }) => tagName === "main" || properties["role"] === "main")
  const articles = mains.length === 0 ? findAll(tree, named("article")) : []
  const found = articles.length === 1 ? articles : mains
  return found.some((part) => textOf(part).trim() !== "") ? found : findAll(tree, named("body"))
}

/** The content that a reader came for; links are resolved against `base`. */
export const contentOf = (tree: HtmlTree, base: string): HtmlTree => ({
  type: "root",
  children: mainParts(tree).flatMap((part) => tidy(part, base))
})
