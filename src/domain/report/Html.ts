/**
 * HTML that is escaped where it is written: a template takes texts, and only what is `Html` already stays as it is.
 */
import { harmless } from "../text/Printable.ts"

/** Text that is HTML. */
export class Html {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** What stands in a template: texts are escaped, lists are joined, nothing is left out. */
export type Piece = Html | string | number | undefined | ReadonlyArray<Piece>

const named: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** For elements and for attributes in quotes. Control characters and bidirectional marks are shown as `\u{...}`. */
export const escapeHtml = (text: string): string => harmless(text).replace(/[&<>"']/g, (one) => named[one] ?? one)

const sourceOf = (piece: Piece): string => {
  if (piece === undefined) return ""
  if (piece instanceof Html) return piece.source
  if (typeof piece === "string") return escapeHtml(piece)
  if (typeof piece === "number") return String(piece)
  return piece.map(sourceOf).join("")
}

/** `` markup`<p>${text}</p>` `` */
export const markup = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html =>
  new Html(strings.map((text, index) => `${text}${sourceOf(pieces[index])}`).join(""))

/** Nothing, in a template. */
export const nothing = markup``

/** Preformatted text. */
export const pre = (text: string): Html => markup`<pre tabindex="0"><code>${text}</code></pre>`

/** A part that opens on request. The anchor stands inside, so that a link to it opens it. */
export const folded = (summary: Piece, content: Piece, anchor?: string): Html =>
  markup`<details><summary>${summary}</summary><div${anchor === undefined ? "" : markup` id="${anchor}"`} class="fold">${content}</div></details>`
