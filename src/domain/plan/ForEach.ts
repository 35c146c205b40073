/**
 * The places over which a task is carried out one by one: what counts as an item, where the items are, and what became of each.
 */
import * as Schema from "effect/Schema"
import { shortened } from "../text/Excerpt.ts"
import { counted, oneLine, tableCell } from "../text/Format.ts"
import { ResultReference } from "./Reference.ts"

/**
 * What counts as an item: a file, a line of files, a call of a function, a heading of markdown files, or an entry of a list or a
 * table.
 */
export const ItemKind = Schema.Literals(["file", "line", "call", "heading", "entry"])
export type ItemKind = typeof ItemKind.Type

export const ForEach = Schema.Struct({
  kind: ItemKind,
  /** A pattern for paths of the project, or the result of an earlier task, which lists entries. */
  source: Schema.Union([Schema.Struct({ kind: Schema.tag("glob"), pattern: Schema.String }), ResultReference]),
  /** Only files, lines, headings or entries that contain this text; of calls, the name of the function. */
  containing: Schema.optionalKey(Schema.String)
})
export type ForEach = typeof ForEach.Type

/** `failed` has no result; `skipped` was never carried out, because somebody declined what it needs. */
export const ItemState = Schema.Literals(["done", "unchanged", "failed", "skipped"])
export type ItemState = typeof ItemState.Type

/** What became of an item; `note` is the beginning of its report, or why there is none; `files` are those that it changes. */
export const ItemResult = Schema.Struct({
  item: Schema.String,
  state: ItemState,
  note: Schema.String,
  files: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ItemResult = typeof ItemResult.Type

/** So much of a text stands for an item. */
const longestNote = 200

/** The note of an item: a text on one line. */
export const itemNote = (text: string): string => shortened(oneLine(text), longestNote)

/** How many items are in each state; they add up to the number of items. */
export const ItemCounts = Schema.Record(ItemState, Schema.Int)
export type ItemCounts = typeof ItemCounts.Type

export const countItems = (items: ReadonlyArray<ItemResult>): ItemCounts => {
  const counts = { done: 0, unchanged: 0, failed: 0, skipped: 0 }
  for (const { state } of items) counts[state] += 1
  return counts
}

/** `40 items: 37 done, 2 unchanged, 1 failed.` */
export const itemsText = (items: ReadonlyArray<ItemResult>): string => {
  const counts = countItems(items)
  const parts = ItemState.literals.flatMap((state) => (counts[state] === 0 ? [] : [`${counts[state]} ${state}`]))
  return `${counted(items.length, "item")}: ${parts.join(", ")}.`
}

const tableOf = (items: ReadonlyArray<ItemResult>): string =>
  [
    "| item | state | result |",
    "|---|---|---|",
    ...items.map(({ item, note, state }) => `| ${tableCell(item)} | ${state} | ${tableCell(note)} |`)
  ].join("\n")

/** More rows than these say less to a later stage than their counts do. */
const mostRows = 20

/**
 * The report of the host: how many items are in which state, and a row for each. Of many items the summary, which later stages see, has
 * those without a result alone.
 */
export const itemsReport = (
  items: ReadonlyArray<ItemResult>
): { readonly summary: string; readonly details?: string } => {
  const text = itemsText(items)
  if (items.length <= mostRows) return { summary: `${text}\n\n${tableOf(items)}` }
  const open = openItems(items).slice(0, mostRows)
  return { summary: open.length === 0 ? text : `${text}\n\n${tableOf(open)}`, details: tableOf(items) }
}

/** The items that have no result. */
export const openItems = (items: ReadonlyArray<ItemResult>): ReadonlyArray<ItemResult> =>
  items.filter(({ state }) => state === "failed" || state === "skipped")
