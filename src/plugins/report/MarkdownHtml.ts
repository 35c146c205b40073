/**
 * Makes HTML from markdown of models and files. HTML stays text and pictures become descriptions, so that nothing is
 * loaded. Links to project files, web pages, and tasks on the page are kept.
 */
import type { List, Nodes, Table } from "mdast"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { forgivingSlug, isParsable, slugOf } from "../../kit/text.ts"
import { Html, listHtml, markup, nothing, pre, tableHtml } from "./Html.ts"

export interface LinkContext {
  /** Images of tools by hash, as `data:` URLs. */
  readonly images?: ReadonlyMap<string, string>
  /** The absolute path of the project. */
  readonly project: string
  /** The slugs of the tasks on the page. */
  readonly tasks: ReadonlySet<string>
}

export const taskAnchor = (slug: string): string => `task-${slug}`

/** A folder as a URL with a slash at the end. */
const folderUrl = (folder: string): string => {
  const path = folder
    .split(/[\\/]/)
    .map(encodeURIComponent)
    .join("/")
    .replace(/^\/+/, "")
    .replace(/^([A-Za-z])%3A/, "$1:")
  return `file:///${path}${path === "" || path.endsWith("/") ? "" : "/"}`
}

const taskLink = (href: string, { tasks }: LinkContext): string | undefined => {
  const slug = forgivingSlug(slugOf(href.slice(1).replace(/-results$/, "")))
  const found = [...tasks].find((task) => forgivingSlug(task) === slug)
  return found === undefined ? undefined : `#${taskAnchor(found)}`
}

const webLink = (href: string): string | undefined => {
  const url = URL.parse(href)
  return url !== null && url.username === "" && url.password === "" ? url.href : undefined
}

/** Matches escaped slashes. Some programs decode them, which could lead the link out of the folder. */
const hiddenStep = /%(?:2f|5c)/i

/** The URL of a project file. Undefined for a link to another folder or machine. */
const fileUrl = (href: string, { project }: LinkContext): string | undefined => {
  const folder = folderUrl(project)
  const url = URL.parse(href, folder)
  if (url === null || url.protocol !== "file:" || url.host !== "" || url.search !== "") return undefined
  return url.href.startsWith(new URL(folder).href) && !hiddenStep.test(url.pathname) ? url.href : undefined
}

/** The address of a link. Undefined if not allowed. */
export const reportLink = (href: string, context: LinkContext): string | undefined => {
  const target = href.trim()
  if (target.startsWith("#")) return taskLink(target, context)
  if (/^https?:\/\//i.test(target)) return webLink(target)
  if (target === "" || /^[a-z][a-z\d+.-]*:/i.test(target) || /^[\\/]{2}/.test(target)) return undefined
  return fileUrl(target.replaceAll("?", "%3F"), context)
}

const reader = unified().use(remarkParse).use(remarkGfm)

const headings = ["h3", "h4", "h5", "h6", "h6", "h6"]

const listOf = (list: List, context: LinkContext): Html => {
  const items = list.children.map((item) => {
    const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : ""
    return [box, item.children.map((child) => itemHtml(child, context, list.spread === true))]
  })
  return list.ordered === true
    ? markup`<ol start="${list.start ?? 1}">${items.map((item) => markup`<li>${item}</li>`)}</ol>`
    : listHtml(items)
}

/** The HTML of a part of a list item. If the list has no blank lines, a paragraph needs no element. */
const itemHtml = (node: Nodes, context: LinkContext, isSpread: boolean): Html =>
  node.type === "paragraph" && !isSpread ? childrenHtml(node.children, context) : nodeHtml(node, context)

const tableOf = ({ align, children }: Table, context: LinkContext): Html => {
  const [head = [], ...rows] = children.map((row) => row.children.map((cell) => childrenHtml(cell.children, context)))
  return tableHtml(
    head.map((name, at) => ({ name, isNumber: align?.[at] === "right" })),
    rows
  )
}

const childrenHtml = (nodes: ReadonlyArray<Nodes>, context: LinkContext): Html =>
  markup`${nodes.map((node) => nodeHtml(node, context))}`

const tags = { paragraph: "p", emphasis: "em", strong: "strong", delete: "del", blockquote: "blockquote" }

const element = (name: string, nodes: ReadonlyArray<Nodes>, context: LinkContext): Html => {
  const tag = new Html(name)
  return markup`<${tag}>${childrenHtml(nodes, context)}</${tag}>`
}

const linkHtml = (href: string, text: Html, context: LinkContext): Html => {
  const target = reportLink(href, context)
  if (target === undefined) return markup`${text} <span class="dim">(${href})</span>`
  return markup`<a href="${target}"${target.startsWith("http") ? markup` rel="noopener noreferrer"` : ""}>${text}</a>`
}

const nodeHtml = (node: Nodes, context: LinkContext): Html => {
  switch (node.type) {
    case "text":
    case "html":
      return markup`${node.value}`
    case "paragraph":
    case "emphasis":
    case "strong":
    case "delete":
    case "blockquote":
      return element(tags[node.type], node.children, context)
    case "heading":
      return element(headings[node.depth - 1] ?? "h6", node.children, context)
    case "inlineCode":
      return markup`<code>${node.value}</code>`
    case "code":
      return pre(node.value)
    case "break":
      return markup`<br />`
    case "thematicBreak":
      return markup`<hr />`
    case "list":
      return listOf(node, context)
    case "table":
      return tableOf(node, context)
    case "link":
      return linkHtml(node.url, childrenHtml(node.children, context), context)
    case "image":
      return linkHtml(node.url, markup`${node.alt ?? "picture"}`, context)
    default:
      return "children" in node ? childrenHtml(node.children, context) : nothing
  }
}

/** The text as HTML. A text that is too long or too deeply nested stays plain. */
export const markdownHtml = (text: string, context: LinkContext): Html =>
  isParsable(text) ? childrenHtml(reader.parse(text).children, context) : pre(text)
