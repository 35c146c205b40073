/**
 * Lists the items of a for-each task, and makes the task of one item.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Nodes } from "mdast"
import { enclosingNames } from "../excerpts/EnclosingLines.ts"
import { codeLines } from "../files/CodeText.ts"
import { type Declaration, declarationsAround, declarationsOf, isProgram } from "../files/Declarations.ts"
import { languageOf } from "../files/Language.ts"
import { readReference } from "../grammar/ReferenceForm.ts"
import { markdownLinks, parseMarkdown } from "../markdown/MarkdownTree.ts"
import { outline } from "../markdown/Outline.ts"
import { shortened } from "../text/Excerpt.ts"
import { oneLine } from "../text/Format.ts"
import type { ForEach } from "../plan/ForEach.ts"
import { FileReference, Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"

/** A line in a file, with the lines around it. The model decides about it, as one of many places of a task. */
export const ListedPlace = Schema.Struct({
  path: Schema.String,
  /** The line number, from 1. */
  line: Schema.Int,
  /** The names of the declarations around the line, or the heading above the line. Empty if there are none. */
  within: Schema.String,
  /** The lines above that begin the blocks around the line, the outermost block first. */
  heads: Schema.optionalKey(Schema.Array(Schema.Struct({ line: Schema.Int, text: Schema.String }))),
  /** The line of the place and the lines around it. `first` is the line number of `lines[0]`. */
  first: Schema.Int,
  lines: Schema.Array(Schema.String),
  /** Says that a line of this file, such as an import, gives the called name another meaning. */
  meaning: Schema.optionalKey(Schema.String)
})
export type ListedPlace = typeof ListedPlace.Type

/** An item of a for-each task. `references` are the places that the item names. */
export const Item = Schema.Struct({
  text: Schema.String,
  references: Schema.Array(FileReference),
  /** Present only for items that are lines or calls. */
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

/**
 * How many lines before and after a place are shown: in a prompt with many places, and for a place with its own task.
 */
const linesAround = { amongMany: 2, alone: 5 }

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

const definition = /(?:^|[^\p{L}\p{N}_$])(?:def|fn|func|fun|function|sub|proc)\s+$/u

/** True for lines that call the function. A bare name does not match a method. */
const callsIn = (name: string): ((line: string) => boolean) => {
  const call = new RegExp(`(?<![\\p{L}\\p{N}_$.:])${name.replaceAll(/[.$]/g, "\\$&")}\\s*\\(`, "gu")
  return (line) => [...line.matchAll(call)].some(({ index }) => !definition.test(line.slice(0, index)))
}

/**
 * The maximum length of a line in characters. A place with a longer line gets its own task. Longer lines around a place
 * are cut.
 */
export const longestLine = { ofPlace: 400, around: 160 }

/** Keywords that a for-each task may search. They match as whole words in code, not in comments or quotes. */
const keywords: ReadonlySet<string> = new Set(
  "assert await break catch continue defer del delete except finally global goto import raise rescue return throw yield".split(
    " "
  )
)

/** The first lines of at most this many blocks are shown. The innermost blocks best show when the place runs. */
const mostHeads = 2

/** The first line of a handler shows in which case the place runs. It is always shown, even beyond `mostHeads`. */
const handler = /^\s*(?:\}\s*)?(?:except|catch|rescue)\b/

const depth = (line: string): number => line.search(/\S/)

/** Finds the lines above a place that begin the blocks around it, up to the enclosing declaration. */
const blockHeads = (lines: ReadonlyArray<string>, language: string) => {
  if (!isProgram(language)) return () => []
  const declared = new Set(declarationsOf(lines, language).map(({ index }) => index))
  return (index: number): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
    const heads: Array<{ readonly line: number; readonly text: string }> = []
    let outer = depth(lines[index] ?? "")
    for (let at = index - 1; at >= 0 && outer > 0; at--) {
      const line = lines[at] ?? ""
      const begins = depth(line)
      // A closing bracket begins no block.
      if (begins < 0 || begins >= outer || /^\s*[)\]}>]+[;,]?\s*$/.test(line)) continue
      if (declared.has(at)) break
      outer = begins
      if (heads.length < mostHeads || handler.test(line)) {
        heads.unshift({ line: at + 1, text: shortened(line, longestLine.around) })
      }
      if (handler.test(line) && heads.length >= mostHeads) break
    }
    return heads
  }
}

/** How many lines are searched for the closing parenthesis of a call. */
const longestCall = 8

export const openParentheses = (line: string): number => line.split("(").length - line.split(")").length

/** The index of the line that closes the parentheses of the line `at`. If no near line closes them, `at` itself. */
export const callEnd = (code: ReadonlyArray<string>, at: number): number => {
  let depth = 0
  for (let index = at; index < Math.min(code.length, at + longestCall); index++) {
    depth += openParentheses(code[index] ?? "")
    if (depth <= 0) return index
  }
  return at
}

/** Languages in which a type's own code can call its methods by bare name. */
const reachingMethods = new Set("java csharp kotlin swift c cpp cuda ruby scala groovy dart".split(" "))

const typeHead = /\b(?:class|interface|struct|trait|impl|enum|object|protocol|record)\b/

/** Returns a test: in this language, is the declaration a method that a bare call such as `open(...)` cannot reach? */
const isUnreached = (lines: ReadonlyArray<string>, all: ReadonlyArray<Declaration>, language: string) => {
  const isType = ({ index }: Declaration): boolean => typeHead.test(lines[index] ?? "")
  return (declaration: Declaration): boolean =>
    !reachingMethods.has(language) &&
    (/^func\s*\(/.test(lines[declaration.index] ?? "") ||
      declarationsAround(lines, all, declaration.index).some((outer) => outer !== declaration && isType(outer)))
}

/** Says that a line of this file, such as an import, gives the bare name another meaning. Undefined if none does. */
const ownMeaning = (lines: ReadonlyArray<string>, code: ReadonlyArray<string>, language: string, name: string) => {
  const all = declarationsOf(lines, language)
  const isMethod = isUnreached(lines, all, language)
  const declared = all.find((one) => one.name === name && !isMethod(one))?.index
  const assigned = new RegExp(`^\\s*(?:${name}\\s*=(?!=)|(?:from|import)\\b.*\\b${name}\\b)`)
  const index = declared ?? code.findIndex((line) => assigned.test(line))
  return index < 0
    ? undefined
    : `In this file, ${name}(...) calls what line ${index + 1} names: ${oneLine(lines[index] ?? "")}`
}

const placesOf = ({ path = "", text }: ItemSource, { containing, kind }: ForEach): ReadonlyArray<Item> => {
  const plain = text.replaceAll("\r\n", "\n")
  const lines = plain.split("\n")
  const language = languageOf(path)
  const code = codeLines(plain, language)
  const keyword =
    containing !== undefined && isProgram(language) && keywords.has(containing)
      ? new RegExp(`\\b${containing}\\b`)
      : undefined
  const isCalled = kind === "call" ? callsIn(containing ?? "") : undefined
  const isPlace = (index: number): boolean => {
    if (isCalled !== undefined) return isCalled(code[index] ?? "")
    if (keyword !== undefined) return keyword.test(code[index] ?? "")
    const line = lines[index] ?? ""
    return containing === undefined ? line.trim() !== "" : line.includes(containing)
  }
  const within = enclosingNames(lines, language)
  const headsOf = blockHeads(lines, language)
  const meaning =
    isCalled === undefined || containing === undefined || !/^\w+$/.test(containing)
      ? undefined
      : ownMeaning(lines, code, language, containing)
  const isBlank = (number: number): boolean => (lines[number - 1] ?? "").trim() === ""
  const around = (index: number, count: number) => ({
    from: Math.max(1, index + 1 - count),
    to: Math.min(lines.length, index + 1 + count)
  })
  return lines.flatMap((line, index) => {
    if (!isPlace(index)) return []
    const near = around(index, linesAround.amongMany)
    while (near.from < index + 1 && isBlank(near.from)) near.from += 1
    while (near.to > index + 1 && isBlank(near.to)) near.to -= 1
    const end = isProgram(language) ? callEnd(code, index) + 1 : index + 1
    // The lines after a keyword do not explain when it runs.
    near.to = keyword === undefined ? Math.max(near.to, end) : end
    const heads = headsOf(index).filter((head) => head.line < near.from)
    const place: ListedPlace = {
      path,
      line: index + 1,
      within: within(index),
      ...(heads.length === 0 ? {} : { heads }),
      first: near.from,
      lines: lines
        .slice(near.from - 1, near.to)
        .map((text, at) => (near.from + at === index + 1 ? text : shortened(text, longestLine.around))),
      ...(meaning === undefined ? {} : { meaning })
    }
    const reference = fileReference(path, { lines: around(index, linesAround.alone) })
    const own = item(`${path}:${index + 1}: ${line}`, [reference])
    return [line.length > longestLine.ofPlace ? own : { ...own, place }]
  })
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
      return placesOf(source, forEach)
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
  // Names the text, because the prompt may show only parts of the file.
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

/** The task that decides about several places together, in the order of their numbers. */
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
