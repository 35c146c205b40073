/**
 * What a write would change: a unified diff of bounded length, and whether it changes what npm runs.
 */
import * as TextDiff from "effect/TextDiff"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { canonicalJson, textNestedTooDeep } from "../text/Json.ts"

/** More edits than this in one region are shown as a whole replacement: the search would take too long. */
const maxEdits = 2000

const shownHead = 200
const shownTail = 100

const shorten = (line: string): string => {
  const missing = line.length - shownHead - shownTail
  if (missing <= 0) return line
  return `${line.slice(0, shownHead)} ... (${missing} of ${line.length} characters of the line not shown) ... ${line.slice(-shownTail)}`
}

/**
 * A unified diff of at most `maxLines` lines; the middle of a line above 300 characters is left out, and every omission
 * is stated with its size. `before` is undefined for a new file. Empty when both texts are equal.
 *
 * ```ts
 * changePreview("a.txt", "one\n", "two\n", 100) // "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two"
 * ```
 */
export const changePreview = (path: string, before: string | undefined, after: string, maxLines: number): string => {
  const edits = TextDiff.lines(before ?? "", after, { maxEdits })
  const fromFile = before === undefined ? "/dev/null" : path
  const lines = TextDiff.unified(edits, { fromFile, toFile: path }).split("\n").map(shorten)
  if (lines.at(-1) === "") lines.pop()
  if (lines.length <= maxLines) return lines.join("\n")
  return [...lines.slice(0, maxLines), `(${lines.length - maxLines} more lines of the diff are not shown)`].join("\n")
}

/** How many lines a change adds and removes, and the whole of it as a unified diff, which is empty when nothing changes. */
export interface WholeChange {
  readonly added: number
  readonly removed: number
  readonly diff: string
}

/** The whole change of a file, under the name that a person knows it by. */
export const wholeChange = (name: string, before: string | undefined, after: string): WholeChange => {
  const edits = TextDiff.lines(before ?? "", after, { maxEdits })
  const count = (tag: "Insert" | "Delete") =>
    edits.reduce((sum, edit) => sum + (edit._tag === tag ? edit.items.length : 0), 0)
  const fromFile = before === undefined ? "/dev/null" : name
  return {
    added: count("Insert"),
    removed: count("Delete"),
    diff: TextDiff.unified(edits, { fromFile, toFile: name })
  }
}

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.optionalKey(Schema.Json) }))

const scriptsOf = (text: string): string =>
  Option.match(textNestedTooDeep(text) ? Option.none() : Schema.decodeOption(Manifest)(text), {
    onNone: () => "",
    onSome: ({ scripts }) => (scripts === undefined ? "" : canonicalJson(scripts))
  })

/** True when the scripts of two texts of package.json differ; a text that is not JSON has none. */
export const scriptsChange = (before: string | undefined, after: string): boolean =>
  scriptsOf(before ?? "") !== scriptsOf(after)
