/**
 * Classifies the target of a link by its form alone: a heading, the result of a task, a file, a page, or none of these.
 * services/references checks whether it exists.
 */
import type { IssueCode, Where } from "../findings/Issue.ts"
import type { FileReference, Reference, UnknownReference } from "../plan/Reference.ts"
import type { LineRange } from "../text/LineRange.ts"
import { slugOf } from "../text/Slug.ts"
import { unescaped } from "../text/PercentEscapes.ts"

/** A target without a valid form, with a message about it. */
interface WrongForm {
  readonly _tag: "Wrong"
  readonly reference: UnknownReference
  readonly code: Extract<IssueCode, `reference-${string}`>
  readonly what: string
  /** How to correct the target. Present only if this advice is more specific than the text of the rule. */
  readonly how?: string
}

/** A task result. `name` is the name or slug as written. `certain` is false if the anchor may also be a heading. */
export interface ResultForm {
  readonly _tag: "Result"
  readonly title: string
  readonly href: string
  readonly name: string
  readonly certain: boolean
}

/** Resolves a link to the result of a task. Records an issue and returns undefined if this is impossible. */
export type ResolveResult = (form: ResultForm, where: Where) => Reference | undefined

/** A target that is resolved. `repair` tells how the reader changed it. */
interface PlainForm {
  readonly _tag: "Plain"
  readonly reference: Reference
  readonly repair?: string
}

export type ReferenceForm = WrongForm | ResultForm | PlainForm

const wrong = (title: string, href: string, code: WrongForm["code"], what: string, how?: string): WrongForm => ({
  _tag: "Wrong",
  reference: { kind: "unknown", title, href, target: href },
  code,
  what,
  how
})

const plain = (reference: Reference, repair?: string): PlainForm => ({ _tag: "Plain", reference, repair })

/** How a range of lines may be written, such as `L3-L9`. A range in the last form, such as `-9`, begins at line 1. */
const lineForms = [
  /^L(\d+)(?:-L?(\d+))?$/i,
  /^(\d+)(?:-(\d+))?$/,
  /^lines?[=-]?(\d+)(?:(?:-|\.\.|,)(\d+))?$/i,
  /^-L?(\d+)$/i
]

const readLines = (fragment: string): LineRange | undefined => {
  const index = lineForms.findIndex((form) => form.test(fragment))
  if (index < 0) return undefined
  const [, first, second] = lineForms[index]?.exec(fragment) ?? []
  const one = Number(first)
  const other = index === 3 ? 1 : Number(second ?? first)
  const range = { from: Math.min(one, other), to: Math.max(one, other) }
  return range.from >= 1 && Number.isSafeInteger(range.to) ? range : undefined
}

const readAnchor = (title: string, href: string): ReferenceForm => {
  const name = unescaped(href.slice(1)).trim()
  const result = /^(.*\S)[-_ ]+results?$/is.exec(name)?.[1]
  if (result !== undefined) return { _tag: "Result", title, href, name: result, certain: false }
  const target = slugOf(name)
  if (target === "") return wrong(title, href, "reference-empty", `The link "${href}" does not name a heading.`)
  const strict = /\s/.test(href) ? `#${target}` : href
  const repair = href === strict ? undefined : `Read "${href}" as "#${target}".`
  return plain({ kind: "anchor", title, href: strict, target }, repair)
}

const readUrl = (title: string, href: string): ReferenceForm => {
  const url = /\s/.test(href) ? null : URL.parse(href)
  if (url !== null && url.hostname !== "") return plain({ kind: "url", title, href, target: url.href })
  return wrong(title, href, "reference-url", `"${href}" is not a valid URL.`)
}

const readFile = (title: string, href: string): ReferenceForm => {
  const [, written = "", hash] = /^([^#]*)(?:#(.*))?$/s.exec(href) ?? []
  const path = unescaped(written)
  const fragment = unescaped(hash ?? "")
  if (/[*?]|\{[^{}]*,[^{}]*\}/.test(path)) {
    return wrong(title, href, "reference-glob", `"${href}" is a pattern, not a file.`)
  }
  if (path === "" || /(?:^|[/\\])\.{0,2}$/.test(path)) {
    return wrong(title, href, "reference-folder", `"${href}" is a folder, not a file.`)
  }
  const [, beforeColon, afterColon] = (fragment === "" ? /^(.+?):(\d+(?:-\d+)?)$/s.exec(path) : null) ?? []
  const lines = readLines(afterColon ?? fragment)
  const heading = lines === undefined && afterColon === undefined ? slugOf(fragment) : ""
  const range = lines === undefined ? "" : `#L${lines.from}${lines.to === lines.from ? "" : `-L${lines.to}`}`
  const isStrict = lines === undefined || /^L\d+(?:-L\d+)?$/.test(fragment)
  const isRewritten = afterColon !== undefined || !isStrict
  const reference: FileReference = {
    kind: "file",
    title,
    href: isRewritten ? `${beforeColon ?? written}${range}` : href,
    target: beforeColon ?? path,
    ...(heading === "" ? {} : { heading }),
    ...(lines === undefined ? {} : { lines })
  }
  return plain(reference, isRewritten ? `Read the lines of "${href}" as "${range}".` : undefined)
}

/**
 * Other meanings of a link whose path contains `#`, the longest path first. `C#/x.md#L3` may mean lines of `C#/x.md`;
 * only the project shows which path is a file.
 */
export const longerPaths = ({ href, title }: FileReference): ReadonlyArray<FileReference> => {
  const [first = "", ...others] = href.split("#")
  const ends = others.map((_, index) => others.length - index)
  return ends.flatMap((end) => {
    const path = [first, ...others.slice(0, end)].join("%23")
    const form = readFile(title, [path, ...others.slice(end)].join("#"))
    return form._tag === "Plain" && form.reference.kind === "file" ? [form.reference] : []
  })
}

const otherResult = /^(?:output|result|task):(?:\/\/)?(.*)$/is

/**
 * Reads one link. A path with spaces is an issue, because a space ends a target. `bracketed` is true between `<` and
 * `>`, where spaces are allowed.
 */
export const readReference = (title: string, href: string, bracketed = true): ReferenceForm => {
  if (href === "" || href === "#") {
    return wrong(title, href, "reference-empty", `The link "${title}" has no target.`)
  }
  if (href.startsWith("#")) return readAnchor(title, href)
  const other = otherResult.exec(href)?.[1]
  if (other !== undefined) {
    const [name = ""] = unescaped(other).replace(/#.*$/s, "").split(/\.md$/i)
    return { _tag: "Result", title, href, name: name.replace(/[-_ ]results$/i, "").trim(), certain: true }
  }
  if (/^https?:/i.test(href)) return readUrl(title, href)
  if (/\s/.test(href) && !bracketed) {
    const what = `The target "${href}" contains spaces, which end the target of a link.`
    return wrong(title, href, "reference-spaces", what, `Write [${title}](<${href}>), or name one file without spaces.`)
  }
  if (/^file:\/\//i.test(href)) {
    const form = readFile(title, href.replace(/^file:\/\/(?:localhost)?/i, ""))
    return form._tag === "Plain" ? plain(form.reference, `Read "${href}" as a path.`) : form
  }
  if (/^[a-z][a-z\d+.-]+:/i.test(href) && !/^[^/]*:\d+(?:-\d+)?$/.test(href)) {
    return wrong(title, href, "reference-kind", `"${href}" is not a kind of reference that the host can resolve.`)
  }
  return readFile(title, href)
}
