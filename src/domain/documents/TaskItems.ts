/**
 * Lists the items of a for-each task, and makes the task of one item.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Nodes } from "mdast"
import { readReference } from "../grammar/ReferenceForm.ts"
import { markdownLinks, parseMarkdown } from "../markdown/MarkdownTree.ts"
import { outline } from "../markdown/Outline.ts"
import { shortened } from "../text/Excerpt.ts"
import { oneLine } from "../text/Format.ts"
import type { ForEach } from "../plan/ForEach.ts"
import { FileReference, Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"
import { findPlaces, type FoundPlace, ListedPlace, longestLine, placeLine } from "./ListedPlaces.ts"

/** An item of a for-each task. `references` are the files, or parts of files, that the item names. */
export const Item = Schema.Struct({
  text: Schema.String,
  references: Schema.Array(FileReference),
  /** The place of the item in its text. Present only for lines and calls. */
  place: Schema.optionalKey(ListedPlace)
})
export type Item = typeof Item.Type

/** A text that may contain items; `path` is absent for the result of a task. */
export interface ItemSource {
  readonly path?: string
  readonly text: string
}

/** The maximum number of characters of an item in prompts, lists and tables. */
const longestItem = 300

const longestName = 60

const mostLinks = 3

const fileReference = (path: string, more: Pick<FileReference, "heading" | "lines"> = {}): FileReference => {
  const { heading, lines } = more
  const fragment = lines === undefined ? (heading ?? "") : `L${lines.from}-L${lines.to}`
  return { kind: "file", title: path, href: fragment === "" ? path : `${path}#${fragment}`, target: path, ...more }
}

const item = (text: string, references: ReadonlyArray<FileReference>): Item => ({
  text: shortened(oneLine(text), longestItem),
  references
})

/** The item for a place. A place with a very long line has its own task. */
const placeItem = ({ around, place }: FoundPlace): Item => {
  const text = placeLine(place)
  const own = item(`${place.path}:${place.line}: ${text}`, [fileReference(place.path, { lines: around })])
  return text.length > longestLine.ofPlace ? own : { ...own, place }
}

const headingsOf = ({ path = "", text }: ItemSource): ReadonlyArray<Item> =>
  outline(text).sections.map(({ anchor, heading }) =>
    item(`${path}: ${heading}`, [fileReference(path, { heading: anchor })])
  )

const sourceOf = (text: string, { position }: Nodes): string =>
  text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)

/** The rows of a table below its head. Undefined for a text that is no table. */
const rowsOf = (text: string): ReadonlyArray<string> | undefined => {
  const lines = text.split("\n").map((line) => line.trim())
  return /^\|[\s:|-]+\|$/.test(lines[1] ?? "") ? lines.slice(2) : undefined
}

/** The texts of list entries and table rows. Nested lists are left out. */
const entryTexts = (text: string, node: Nodes): ReadonlyArray<string> => {
  if (node.type === "listItem") return node.children.slice(0, 1).map((child) => sourceOf(text, child))
  if (node.type === "paragraph") return rowsOf(sourceOf(text, node)) ?? []
  return "children" in node ? node.children.flatMap((child) => entryTexts(text, child)) : []
}

const linkedFiles = (entry: string): ReadonlyArray<FileReference> =>
  markdownLinks(entry)
    .flatMap(({ href, title }) => {
      const form = readReference(title === "" ? href : title, href)
      return form._tag === "Plain" && form.reference.kind === "file" ? [form.reference] : []
    })
    .slice(0, mostLinks)

/** The entries of a text: list entries and table rows, or each line if there are none. */
const entriesOf = ({ path, text }: ItemSource): ReadonlyArray<Item> => {
  const tree = Option.getOrUndefined(parseMarkdown(text, 1))
  const entries = tree === undefined ? [] : entryTexts(text, tree)
  const named = path === undefined ? [] : [fileReference(path)]
  if (entries.length > 0) return entries.map((entry) => item(entry, linkedFiles(entry)))
  return text.split("\n").flatMap((line) => (line.trim() === "" || line.startsWith("#") ? [] : [item(line, named)]))
}

const itemsIn = (source: ItemSource, forEach: ForEach): ReadonlyArray<Item> => {
  switch (forEach.kind) {
    case "file":
      return source.path === undefined ? [] : [item(source.path, [fileReference(source.path)])]
    case "line":
    case "call":
      return findPlaces(source, forEach).map((found) => placeItem(found))
    case "heading":
      return headingsOf(source)
    case "entry":
      return entriesOf(source)
  }
}

/** True if the items depend on the contents of files. */
export const readsTexts = ({ containing, kind }: ForEach): boolean => kind !== "file" || containing !== undefined

export const itemsOf = (forEach: ForEach, sources: ReadonlyArray<ItemSource>): ReadonlyArray<Item> => {
  const { containing, kind } = forEach
  const isNamed = kind === "heading" || kind === "entry"
  const all = sources
    .filter(({ text }) => kind !== "file" || containing === undefined || text.includes(containing))
    .flatMap((source) => itemsIn(source, forEach))
    .filter(({ text }) => containing === undefined || !isNamed || text.includes(containing))
  return [...new Map(all.map((one) => [one.text, one])).values()]
}

/** The task of one item. `number` counts from 1. `again` marks a second try, which gets another name. */
export const taskOfItem = (
  task: Task,
  { references, text }: Item,
  number: number,
  all: number,
  again = false
): Task => {
  const { forEach, ...fields } = task
  // Names the searched text, because the prompt may show only parts of the file.
  const holding =
    forEach?.kind === "file" && forEach.containing !== undefined ? `\n\nIt contains \`${forEach.containing}\`.` : ""
  const known = new Set(task.references.map(({ href }) => href))
  const added: ReadonlyArray<Reference> = references.filter(({ href }) => !known.has(href))
  return new Task({
    ...fields,
    name: `${task.name} ${number}${again ? " again" : ""}: ${shortened(oneLine(text.replaceAll("`", "")), longestName)}`,
    whatIsNeeded: `${task.whatIsNeeded}\n\nThis is item ${number} of ${all}, and the only one to work on: ${text}${holding}\n\nOther tasks do the other items. If nothing is to be done for this one, say so and why.`,
    references: [...task.references, ...added]
  })
}

/** The task that decides about several places together. `places` are in the order of their numbers. */
export const taskOfPlaces = (
  task: Task,
  places: ReadonlyArray<{ readonly number: number }>,
  all: number,
  again = false
): Task => {
  const { forEach: _, ...fields } = task
  const [first, last] = [places[0]?.number ?? 0, places.at(-1)?.number ?? 0]
  const range = first === last ? String(first) : `${first} to ${last}`
  return new Task({ ...fields, name: `${task.name}, ${range} of ${all}${again ? ", again" : ""}` })
}
