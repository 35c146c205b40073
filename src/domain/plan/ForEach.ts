/** Tasks that work on many items: kinds, sources and outcomes of the items. */
import * as Schema from "effect/Schema"
import { shortened } from "../text/Excerpt.ts"
import { counted, oneLine, tableCell } from "../text/Format.ts"
import { ResultReference } from "./Reference.ts"

/**
 * The kind of an item: a file, a line of files, a call of a function, a heading of markdown files, or an entry of a
 * list or a table.
 */
export const ItemKind = Schema.Literals(["file", "line", "call", "heading", "entry"])
export type ItemKind = typeof ItemKind.Type

export const ForEach = Schema.Struct({
  kind: ItemKind,
  /** Where the items come from: a pattern for project paths, or the entries of an earlier task's result. */
  source: Schema.Union([Schema.Struct({ kind: Schema.tag("glob"), pattern: Schema.String }), ResultReference]),
  /** The text that a file, line, heading or entry must contain; for calls, the name of the function. */
  containing: Schema.optionalKey(Schema.String),
  /** A word in the first line of a block. Only lines and calls in such blocks are items. */
  inside: Schema.optionalKey(Schema.String)
})
export type ForEach = typeof ForEach.Type

/**
 * A `failed` item has no result. An item is `skipped` if the user denied what it needs, or if the model failed on
 * earlier items.
 */
export const ItemState = Schema.Literals(["done", "unchanged", "failed", "skipped"])
export type ItemState = typeof ItemState.Type

/**
 * The outcome of an item. `note` is the beginning of the item's report, or says why there is none. `files` are the
 * files changed for the item.
 */
export const ItemResult = Schema.Struct({
  item: Schema.String,
  state: ItemState,
  note: Schema.String,
  files: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ItemResult = typeof ItemResult.Type

/** The maximum length of the note of an item, in characters. */
const longestNote = 200

export const itemNote = (text: string): string => shortened(oneLine(text), longestNote)

/** The number of items in each state, which add up to all items. */
export const ItemCounts = Schema.Record(ItemState, Schema.Int)
export type ItemCounts = typeof ItemCounts.Type

export const countItems = (items: ReadonlyArray<ItemResult>): ItemCounts => {
  const counts = { done: 0, unchanged: 0, failed: 0, skipped: 0 }
  for (const { state } of items) counts[state] += 1
  return counts
}

/** The counts as a sentence, such as `40 items: 37 done, 2 unchanged, 1 failed.` */
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

/** The maximum number of rows in a summary. If there are more items, counts help a later stage more than rows. */
const mostRows = 20

/**
 * The report that the program writes: how many items are in each state, and a row for each item. Later stages see only
 * the summary. For many items, the summary has rows only for items without a result.
 */
export const itemsReport = (
  items: ReadonlyArray<ItemResult>
): { readonly summary: string; readonly details?: string } => {
  const text = itemsText(items)
  if (items.length <= mostRows) return { summary: `${text}\n\n${tableOf(items)}` }
  const open = openItems(items).slice(0, mostRows)
  return { summary: open.length === 0 ? text : `${text}\n\n${tableOf(open)}`, details: tableOf(items) }
}

export const openItems = (items: ReadonlyArray<ItemResult>): ReadonlyArray<ItemResult> =>
  items.filter(({ state }) => state === "failed" || state === "skipped")
