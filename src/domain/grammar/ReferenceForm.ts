/**
 * Says what a link target is, by its form alone: a heading, the result of a task, a file, a page, or nothing that the
 * host resolves. Whether the target exists is the business of services/references/References.
 */
import type { FileReference, Reference, UnknownReference } from "../plan/Reference.ts"
import type { LineRange } from "../text/LineRange.ts"
import { slugOf } from "../text/Slug.ts"

/** A target whose form is wrong, with what to say about it. */
export interface WrongForm {
  readonly _tag: "Wrong"
  readonly reference: UnknownReference
  readonly code:
    | "reference-empty"
    | "reference-glob"
    | "reference-folder"
    | "reference-spaces"
    | "reference-kind"
    | "reference-url"
  readonly what: string
  /** What to do, where that is more exact than the remedy of the rule. */
  readonly how?: string
}

/** The result of a task. `name` is the name or slug as written; `certain` is false for an anchor that may be a heading. */
export interface ResultForm {
  readonly _tag: "Result"
  readonly title: string
  readonly href: string
  readonly name: string
  readonly certain: boolean
}

/** A target that is complete in itself; `repair` says what was read differently. */
export interface PlainForm {
  readonly _tag: "Plain"
  readonly reference: Reference
  readonly repair?: string
}

export type ReferenceForm = WrongForm | ResultForm | PlainForm

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const wrong = (title: string, href: string, code: WrongForm["code"], what: string, how?: string): WrongForm => ({
  _tag: "Wrong",
  reference: { kind: "unknown", title, href, target: href },
  code,
  what,
  ...(how === undefined ? {} : { how })
})

const lineForms = [
  /^L(\d+)(?:-L?(\d+))?$/i,
  /^(\d+)(?:-(\d+))?$/,
  /^lines?[=-]?(\d+)(?:(?:-|\.\.|,)(\d+))?$/i,
  /^-L?(\d+)$/i
]

const isStrictLines = (fragment: string): boolean => /^L\d+(?:-L\d+)?$/.test(fragment)

const readLines = (fragment: string): LineRange | undefined => {
  for (const [index, form] of lineForms.entries()) {
    const found = form.exec(fragment)
    if (found === null) continue
    const one = Number(found[1])
    const other = index === 3 ? 1 : Number(found[2] ?? found[1])
    const range = { from: Math.min(one, other), to: Math.max(one, other) }
    return range.from >= 1 && Number.isSafeInteger(range.to) ? range : undefined
  }
  return undefined
}

const readAnchor = (title: string, href: string): ReferenceForm => {
  const name = decoded(href.slice(1)).trim()
  const result = /^(.*\S)[-_ ]+results?$/is.exec(name)?.[1]
  if (result !== undefined) return { _tag: "Result", title, href, name: result, certain: false }
  const target = slugOf(name)
  if (target === "") return wrong(title, href, "reference-empty", `The link "${href}" names no heading.`)
  const reference: Reference = { kind: "anchor", title, href: /\s/.test(href) ? `#${target}` : href, target }
  return href === reference.href
    ? { _tag: "Plain", reference }
    : { _tag: "Plain", reference, repair: `Read "${href}" as "#${target}".` }
}

const readUrl = (title: string, href: string): ReferenceForm => {
  const url = /\s/.test(href) || !URL.canParse(href) ? undefined : new URL(href)
  if (url === undefined || url.hostname === "") {
    return wrong(title, href, "reference-url", `"${href}" is not a valid URL.`)
  }
  return { _tag: "Plain", reference: { kind: "url", title, href, target: url.href } }
}

const readFile = (title: string, href: string): ReferenceForm => {
  const hash = href.indexOf("#")
  const path = decoded(hash < 0 ? href : href.slice(0, hash))
  const fragment = hash < 0 ? "" : decoded(href.slice(hash + 1))
  if (/[*?]|\{[^{}]*,[^{}]*\}/.test(path)) {
    return wrong(title, href, "reference-glob", `"${href}" is a pattern, not a file.`)
  }
  if (path === "" || /(?:^|[/\\])\.{0,2}$/.test(path)) {
    return wrong(title, href, "reference-folder", `"${href}" is a folder, not a file.`)
  }
  const suffix = fragment === "" ? /^(.+?):(\d+(?:-\d+)?)$/s.exec(path) : null
  const target = suffix?.[1] ?? path
  const lines = readLines(suffix?.[2] ?? fragment)
  const heading = lines === undefined && suffix === null ? slugOf(fragment) : ""
  const range = lines === undefined ? "" : `#L${lines.from}${lines.to === lines.from ? "" : `-L${lines.to}`}`
  const isRewritten = suffix !== null || (lines !== undefined && !isStrictLines(fragment))
  const reference: FileReference = {
    kind: "file",
    title,
    href: isRewritten ? `${suffix?.[1] ?? href.slice(0, hash)}${range}` : href,
    target,
    ...(heading === "" ? {} : { heading }),
    ...(lines === undefined ? {} : { lines })
  }
  return isRewritten
    ? { _tag: "Plain", reference, repair: `Read the lines of "${href}" as "${range}".` }
    : { _tag: "Plain", reference }
}

const otherResult = /^(?:output|result|task):(?:\/\/)?(.*)$/is

/**
 * Reads one link. Spaces are an issue in a path, since they end the target of a link; `bracketed` tells that the target
 * stood between `<` and `>`, where they do not.
 */
export const readReference = (title: string, href: string, bracketed = true): ReferenceForm => {
  if (href === "" || href === "#") {
    return wrong(title, href, "reference-empty", `The link "${title}" has no target.`)
  }
  if (href.startsWith("#")) return readAnchor(title, href)
  const other = otherResult.exec(href)?.[1]
  if (other !== undefined) {
    const [name = ""] = decoded(other).replace(/#.*$/s, "").split(/\.md$/i)
    return { _tag: "Result", title, href, name: name.replace(/[-_ ]results$/i, "").trim(), certain: true }
  }
  if (/^https?:/i.test(href)) return readUrl(title, href)
  if (/\s/.test(href) && !bracketed) {
    return wrong(
      title,
      href,
      "reference-spaces",
      `The target "${href}" holds spaces, which end the target of a link.`,
      `Write [${title}](<${href}>), or name one file without spaces.`
    )
  }
  if (/^file:\/\//i.test(href)) {
    const form = readFile(title, href.replace(/^file:\/\/(?:localhost)?/i, ""))
    return form._tag === "Plain" ? { ...form, repair: `Read "${href}" as a path.` } : form
  }
  if (/^[a-z][a-z\d+.-]+:/i.test(href) && !/^[^/]*:\d+(?:-\d+)?$/.test(href)) {
    return wrong(title, href, "reference-kind", `"${href}" is no kind of reference that the host resolves.`)
  }
  return readFile(title, href)
}
