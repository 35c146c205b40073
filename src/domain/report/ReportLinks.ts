/**
 * Where links in texts of a run lead on the page of its report: to files of the project, to pages, to tasks on the page.
 * Any other link is shown as text.
 */
import { forgivingSlug, slugOf } from "../text/Slug.ts"

/** What links are resolved with. */
export interface LinkWorld {
  /** The folder of the project, absolute. */
  readonly project: string
  /** The slugs of the tasks that the page shows. */
  readonly tasks: ReadonlySet<string>
}

/** The anchor of a task on the page. */
export const taskAnchor = (slug: string): string => `task-${slug}`

/** A path as the path of a URL. */
const urlPath = (path: string): string => path.split(/[\\/]/).map(encodeURIComponent).join("/")

/** The folder as a URL that ends with a slash. */
const folderUrl = (folder: string): string => {
  const path = urlPath(folder)
    .replace(/^\/+/, "")
    .replace(/^([A-Za-z])%3A/, "$1:")
  return `file:///${path}${path === "" || path.endsWith("/") ? "" : "/"}`
}

const taskLink = (href: string, { tasks }: LinkWorld): string | undefined => {
  const slug = forgivingSlug(slugOf(href.slice(1).replace(/-results$/, "")))
  const found = [...tasks].find((task) => forgivingSlug(task) === slug)
  return found === undefined ? undefined : `#${taskAnchor(found)}`
}

const webLink = (href: string): string | undefined => {
  const url = URL.parse(href)
  return url !== null && url.username === "" && url.password === "" ? url.href : undefined
}

/** A file, by its path from the project; another machine is never named. */
const fileUrl = (href: string, { project }: LinkWorld): string | undefined => {
  const url = URL.parse(href, folderUrl(project))
  return url !== null && url.protocol === "file:" && url.host === "" && url.search === "" ? url.href : undefined
}

/** The address for a link of a text; nothing when it leads nowhere. */
export const reportLink = (href: string, world: LinkWorld): string | undefined => {
  const target = href.trim()
  if (target.startsWith("#")) return taskLink(target, world)
  if (/^https?:\/\//i.test(target)) return webLink(target)
  if (target === "" || /^[a-z][a-z\d+.-]*:/i.test(target) || /^[\\/]{2}/.test(target)) return undefined
  return fileUrl(target.replaceAll("?", "%3F"), world)
}
