/**
 * Builds HTML, and formats numbers, times and states. Templates escape texts. Only `Html` values are inserted
 * unchanged.
 */
import { finishedText } from "../../kit/documents.ts"
import type { TaskEvidence } from "../../kit/runs.ts"
import { harmless } from "../../kit/text.ts"

export class Html {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** A value in a template. Texts are escaped, lists are joined, and undefined becomes nothing. */
export type Piece = Html | string | number | undefined | ReadonlyArray<Piece>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes text for elements and quoted attributes. Control characters and bidirectional marks become `\u{...}`. */
const escapeHtml = (text: string): string => harmless(text).replace(/[&<>"']/g, (one) => entities[one] ?? one)

const sourceOf = (piece: Piece): string => {
  if (piece === undefined) return ""
  if (piece instanceof Html) return piece.source
  if (typeof piece === "string") return escapeHtml(piece)
  if (typeof piece === "number") return String(piece)
  return piece.map(sourceOf).join("")
}

/** Makes HTML from a template, for example `` markup`<p>${text}</p>` ``. */
export const markup = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html =>
  new Html(strings.map((text, index) => `${text}${sourceOf(pieces[index])}`).join(""))

/** HTML without content. */
export const nothing = markup``

export const pre = (text: string): Html => markup`<pre tabindex="0"><code>${text}</code></pre>`

/** A part of the page that the reader can open and close. The anchor is inside, so that a link to it opens the part. */
export const collapsed = (summary: Piece, content: Piece, anchor?: string): Html =>
  markup`<details><summary>${summary}</summary><div${anchor === undefined ? "" : markup` id="${anchor}"`} class="fold">${content}</div></details>`

/** A list; nothing without items. */
export const listHtml = (items: ReadonlyArray<Piece>): Html =>
  items.length === 0 ? nothing : markup`<ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`

/** A table with numbers aligned to the right. */
export const tableHtml = (
  columns: ReadonlyArray<{ readonly name: Piece; readonly isNumber: boolean }>,
  rows: ReadonlyArray<ReadonlyArray<Piece>>
): Html => {
  const line = (cells: ReadonlyArray<Piece>, tag: Html): Html =>
    markup`<tr>${cells.map((cell, at) => markup`<${tag}${columns[at]?.isNumber === true ? markup` class="number"` : nothing}>${cell}</${tag}>`)}</tr>`
  const head = line(
    columns.map(({ name }) => name),
    markup`th`
  )
  const body = rows.map((row) => line(row, markup`td`))
  return markup`<div class="wide"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`
}

/** A short number, such as `12`, `3.4k`, `1.2M`. */
export const shortNumber = (number: number): string => {
  if (number < 10_000) return String(Math.round(number))
  if (number < 1_000_000) return `${(number / 1000).toFixed(1)}k`
  return `${(number / 1_000_000).toFixed(1)}M`
}

/** Formats a time as an HTML element. Text that is no time stays unchanged. */
export const timeHtml = (iso: string): Html =>
  Number.isNaN(Date.parse(iso))
    ? markup`${iso}`
    : markup`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`

const symbols: Readonly<Record<string, string>> = {
  done: "✓",
  finished: "✓",
  running: "●",
  declined: "○",
  not_permitted: "○",
  limit: "○",
  interrupted: "○",
  unfinished: "○",
  open: "○"
}

const labels: Readonly<Record<string, string>> = {
  open: "not done",
  unverified: "unverified: a check fails with the changes, or proves nothing",
  unfounded: "unfounded: no file was looked at"
}

/** The state of a task with a symbol for it. */
export const taskStateHtml = ({ denied, state }: Pick<TaskEvidence, "denied" | "state">): Html =>
  state === "finished" && denied !== undefined
    ? markup`<span class="state warn">○ ${finishedText(denied)}</span>`
    : stateHtml(state)

/** A status with a symbol for it. */
export const stateHtml = (status: string): Html => {
  const symbol = symbols[status] ?? "✗"
  const tone = symbol === "✓" ? "good" : symbol === "✗" ? "bad" : "warn"
  return markup`<span class="state ${tone}">${symbol} ${labels[status] ?? status.replaceAll("_", " ")}</span>`
}
