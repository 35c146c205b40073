/**
 * Exact replacements in a string. All of them are checked before any is made, and problems are reported so that a small
 * model can correct its call. Line ends stay as they are.
 */
import { distance } from "fastest-levenshtein"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** One replacement: `oldText` must occur exactly once, unless `replaceAll` is true. */
export const TextEdit = Schema.Struct({
  oldText: Schema.String,
  newText: Schema.String,
  replaceAll: Schema.optionalKey(Schema.Boolean)
})
export type TextEdit = typeof TextEdit.Type

interface EditedText {
  /** Named in problems. */
  readonly path: string
  readonly text: string
  /** False for text that may not be quoted in a problem. */
  readonly mayQuote: boolean
}

interface Place {
  readonly edit: number
  readonly from: number
  readonly to: number
  readonly newText: string
}

const maxCounted = 1000
const maxNamed = 10
const maxQuotedLines = 15
const maxComparedLines = 20_000
const maxComparedLength = 200
const alike = 0.6

const toLf = (text: string): string => text.replaceAll("\r\n", "\n")
const toCrlf = (text: string): string => toLf(text).replaceAll("\n", "\r\n")

const count = (text: string, part: string): number => text.split(part).length - 1

/** How line ends of the edit may be written in this text: like its own, or in both ways when it mixes them. */
const spellings = (text: string): ReadonlyArray<(part: string) => string> => {
  const crlf = count(text, "\r\n")
  if (crlf === 0) return [toLf]
  return crlf === count(text, "\n") ? [toCrlf] : [(part) => part, toCrlf]
}

/** Where the part occurs; `step` is the distance from a match to the next search. */
const offsetsOf = (text: string, part: string, step: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) found.push(at)
  return found
}

const lineAt = (text: string, offset: number): number => count(text.slice(0, offset), "\n") + 1

const similarity = (a: string, b: string): number => {
  const [left, right] = [a.trim().slice(0, maxComparedLength), b.trim().slice(0, maxComparedLength)]
  const longer = Math.max(left.length, right.length)
  if (longer === 0 || Math.min(left.length, right.length) < longer / 2) return 0
  return 1 - distance(left, right) / longer
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, "")

/** The lines of the text that are most similar to what was searched for. */
const nearestLines = (text: string, sought: string): string => {
  const wanted = toLf(sought).split("\n")
  const lines = toLf(text).split("\n")
  const anchor = wanted.reduce(
    (best, line, index) => (line.trim() > "" && line.length > (wanted[best] ?? "").length ? index : best),
    0
  )
  const scores = lines.slice(0, maxComparedLines).map((line) => similarity(line, wanted[anchor] ?? ""))
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  if (best < alike) return "No line is similar. Read the file and copy the lines from it."
  const first = Math.max(0, scores.indexOf(best) - anchor)
  const found = lines.slice(first, first + Math.min(wanted.length, maxQuotedLines))
  const isOnlyBlanks = withoutBlanks(found.join("\n")) === withoutBlanks(sought)
  const place = found.length === 1 ? `Line ${first + 1} is` : `Lines ${first + 1} to ${first + found.length} are`
  const hint = isOnlyBlanks ? "nearest and differ only in blanks" : "nearest"
  return `${place} ${hint}; copy from here exactly:\n${found.join("\n")}`
}

const named = (edits: ReadonlyArray<TextEdit>, index: number): string =>
  edits.length === 1 ? "old_text" : `old_text of edit ${index + 1}`

/** The places of one edit, or what is wrong with it. */
const placesOf = ({ mayQuote, path, text }: EditedText, edits: ReadonlyArray<TextEdit>, index: number) => {
  const { newText, oldText, replaceAll = false } = edits[index] ?? { oldText: "", newText: "" }
  const name = named(edits, index)
  if (oldText === "") return Result.fail(`The ${name} is empty. Give the lines that are replaced.`)
  if (oldText === newText) return Result.fail(`The ${name} and its new_text are the same, so nothing would change.`)
  if (!newText.isWellFormed()) return Result.fail(`The new_text for the ${name} holds half a character.`)
  for (const spell of spellings(text)) {
    const sought = spell(oldText)
    const offsets = offsetsOf(text, sought, replaceAll ? sought.length : 1)
    if (offsets.length === 0) continue
    if (offsets.length > 1 && !replaceAll) {
      const total = offsets.length > maxCounted ? `more than ${maxCounted}` : String(offsets.length)
      const lines = offsets.slice(0, maxNamed).map((offset) => lineAt(text, offset))
      const at = `at lines ${lines.join(", ")}${offsets.length > maxNamed ? ", ..." : ""}`
      const cure = "Add lines before or after it until only one place fits, or set replace_all to true for all of them."
      return Result.fail(`The ${name} occurs ${total} times in ${path}, ${at}. ${cure}`)
    }
    return Result.succeed(
      offsets.map((from): Place => ({ edit: index, from, to: from + sought.length, newText: spell(newText) }))
    )
  }
  return Result.fail(`The ${name} does not occur in ${path}.${mayQuote ? ` ${nearestLines(text, oldText)}` : ""}`)
}

const overlap = (places: ReadonlyArray<Place>): readonly [Place, Place] | undefined => {
  for (const [index, place] of places.entries()) {
    const before = places[index - 1]
    if (before !== undefined && before.to > place.from) return [before, place]
  }
  return undefined
}

/**
 * The text after all edits. Each is searched for in the original text, so their order does not matter. Fails with all
 * problems, as sentences for the model.
 */
export const editText = (edited: EditedText, edits: ReadonlyArray<TextEdit>): Result.Result<string, string> => {
  const found = edits.map((_, index) => placesOf(edited, edits, index))
  const problems = found.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
  if (problems.length > 0) return Result.fail(problems.join("\n"))
  const places = found.flatMap((one) => (Result.isSuccess(one) ? one.success : [])).toSorted((a, b) => a.from - b.from)
  const clash = overlap(places)
  if (clash !== undefined) {
    const [a, b] = clash.map((place) => place.edit + 1).toSorted()
    const line = lineAt(edited.text, clash[1].from)
    return Result.fail(`The edits ${a} and ${b} change the same text at line ${line}. Put them into one edit.`)
  }
  let at = 0
  const parts = places.flatMap(({ from, newText, to }) => {
    const kept = edited.text.slice(at, from)
    at = to
    return [kept, newText]
  })
  return Result.succeed([...parts, edited.text.slice(at)].join(""))
}
