/** Previews a write as a unified diff of limited length, or as numbered rows. Also tells whether npm scripts change. */
import * as TextDiff from "effect/TextDiff"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { canonicalJson, textNestedTooDeep } from "../text/Json.ts"

/**
 * The maximum number of edits in a part of a file. With more edits, the whole part is shown as replaced, because a
 * search for the edits would take too long.
 */
const maxEdits = 2000

/** The numbers of added and removed lines, and the whole unified diff. The diff of equal texts is empty. */
export interface WholeChange {
  readonly added: number
  readonly removed: number
  readonly diff: string
}

/** Adds the name of the enclosing declaration to each hunk header, as git does. */
const withHunkNames = (diff: string, after: string): string => {
  const lines = after.split("\n")
  let [at, name] = [0, ""]
  return diff.replace(/(?<=^|\n)@@ -\S+ \+(\d+)(?:,\d+)? @@(?=\n|$)/g, (head, from: string) => {
    for (; at < Math.min(Number(from) - 1, lines.length); at += 1) {
      if (/^[\p{L}_$]/u.test(lines[at] ?? "")) name = lines[at] ?? ""
    }
    return `${head} ${name.slice(0, 60)}`.trimEnd()
  })
}

/** The whole change of a file. `name` is the name of the file in the diff. */
export const wholeChange = (name: string, before: string | undefined, after: string | undefined): WholeChange =>
  changeBetween({ before, after, fromFile: nameOr(name, before), toFile: nameOr(name, after) })

/** The name of a file in the diff; `/dev/null` for an absent file, as in git. */
const nameOr = (name: string, text: string | undefined): string => (text === undefined ? "/dev/null" : name)

interface TwoTexts {
  readonly before: string | undefined
  readonly after: string | undefined
  readonly fromFile: string
  readonly toFile: string
}

/** The edits of lines that turn one text into the other. */
export const lineEdits = (before: string, after: string) => TextDiff.lines(before, after, { maxEdits })

export const changeBetween = ({ after = "", before = "", ...names }: TwoTexts): WholeChange => {
  const edits = lineEdits(before, after)
  const count = (tag: "Insert" | "Delete") =>
    edits.reduce((sum, edit) => sum + (edit._tag === tag ? edit.items.length : 0), 0)
  return {
    added: count("Insert"),
    removed: count("Delete"),
    diff: withHunkNames(TextDiff.unified(edits, names), after)
  }
}

const shownHead = 200
const shownTail = 100

const shorten = (line: string): string => {
  const missing = line.length - shownHead - shownTail
  if (missing <= 0) return line
  return `${line.slice(0, shownHead)} ... (${missing} of ${line.length} characters of the line not shown) ... ${line.slice(-shownTail)}`
}

/**
 * A unified diff of at most `maxLines` lines. It leaves out the middle of a line above 300 characters, and states the
 * size of every omission. `before` is undefined for a new file, `after` for a removed file. The diff of equal texts is
 * empty.
 *
 * ```ts
 * changePreview("a.txt", "one\n", "two\n", 100) // "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two"
 * ```
 */
export const changePreview = (
  path: string,
  before: string | undefined,
  after: string | undefined,
  maxLines: number
): string => {
  const lines = wholeChange(path, before, after).diff.split("\n").map(shorten)
  if (lines.at(-1) === "") lines.pop()
  if (lines.length <= maxLines) return lines.join("\n")
  return [...lines.slice(0, maxLines), `(${lines.length - maxLines} more lines of the diff are not shown)`].join("\n")
}

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.optionalKey(Schema.Json) }))

const scriptsOf = (text: string): string =>
  Option.match(textNestedTooDeep(text) ? Option.none() : Schema.decodeOption(Manifest)(text), {
    onNone: () => "",
    onSome: ({ scripts }) => (scripts === undefined ? "" : canonicalJson(scripts))
  })

/** True when the scripts of two package.json texts differ. Invalid JSON has no scripts. */
export const scriptsChange = (before = "", after = ""): boolean => scriptsOf(before) !== scriptsOf(after)

/**
 * A line of a unified diff with its number. The counts in a hunk header decide which lines belong to the hunk. A line
 * of a hunk may look like a header.
 */
export interface DiffRow {
  readonly kind: "file" | "gap" | "same" | "added" | "removed" | "note"
  /** The line number: in the old text for a removed line, otherwise in the new text. */
  readonly number?: number
  readonly text: string
}

const part = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)/

const kinds = { " ": "same", "+": "added", "-": "removed" } as const

/** The rows of a diff of one or several files. A gap with the name of the enclosing declaration precedes each hunk. */
export const numberedRows = (diff: string): ReadonlyArray<DiffRow> => {
  const rows: Array<DiffRow> = []
  let [old, now, oldLeft, newLeft] = [0, 0, 0, 0]
  let before = ""
  for (const line of diff === "" ? [] : diff.replace(/\n$/, "").split("\n")) {
    const sign = line.slice(0, 1)
    const text = line.slice(1)
    if (sign === "\\") rows.push({ kind: "note", text: text.trim() })
    else if (oldLeft > 0 || newLeft > 0) {
      const kind = sign === "+" || sign === "-" ? kinds[sign] : "same"
      rows.push({ kind, number: kind === "removed" ? old : now, text })
      if (kind !== "added") [old, oldLeft] = [old + 1, oldLeft - 1]
      if (kind !== "removed") [now, newLeft] = [now + 1, newLeft - 1]
    } else if (line.startsWith("--- ")) before = line.slice(4)
    else if (line.startsWith("+++ "))
      rows.push({ kind: "file", text: line === "+++ /dev/null" ? before : line.slice(4) })
    else {
      const found = part.exec(line)
      if (found === null) continue
      const [, oldFrom = "0", oldCount = "1", newFrom = "0", newCount = "1", name = ""] = found
      if (name !== "" || (rows.length > 0 && rows.at(-1)?.kind !== "file")) rows.push({ kind: "gap", text: name })
      ;[old, oldLeft, now, newLeft] = [Number(oldFrom), Number(oldCount), Number(newFrom), Number(newCount)]
    }
  }
  return rows
}
