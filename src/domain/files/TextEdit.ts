/**
 * Replaces literal text, and keeps line ends. Each edit of a file names one place; a replacement in many files changes
 * every occurrence. If the old text is not found, the report shows enough for a small model to correct the edit.
 */
import { distance } from "fastest-levenshtein"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { findText, lineAt, spellings, type TextPlace } from "./EditPlaces.ts"
import { showMatches } from "./LineSearch.ts"
import { elisionIn } from "./NewText.ts"
import { type ReplacedLines, replacedLines } from "../text/ReplacedLines.ts"

/** One replacement: `oldText` must occur exactly once, unless `replaceAll` is true. */
export const TextEdit = Schema.Struct({
  /** The text to replace, letter by letter; not empty. */
  oldText: Schema.String,
  /** The text that takes the place of the old text. An empty text removes the old text. */
  newText: Schema.String,
  /** True to replace every occurrence. Otherwise the old text must occur exactly once. */
  replaceAll: Schema.optionalKey(Schema.Boolean)
})
export type TextEdit = typeof TextEdit.Type

interface EditedText {
  /** The file name in problem messages. */
  readonly path: string
  readonly text: string
  /** False if problem messages must not show the text. */
  readonly mayQuote: boolean
}

const maxPlaces = 10
const contextLines = 2
const maxCounted = 1000
const maxQuotedLines = 15
const maxComparedLines = 20_000
const maxComparedLength = 200
const alike = 0.6

const linesOf = (text: string): ReadonlyArray<string> => text.replaceAll("\r\n", "\n").split("\n")

/**
 * Text for the end of a sentence, such as `3 times in a.ts, at lines 4, 9, 20:`. Below it, each place is shown with two
 * lines before and after it.
 */
const showPlaces = ({ mayQuote, path, text }: EditedText, places: ReadonlyArray<TextPlace>): string => {
  const total = places.length > maxCounted ? `more than ${maxCounted}` : String(places.length)
  const lines = places.slice(0, maxPlaces).map(({ from }) => lineAt(text, from))
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ""
  const summary = `${total} times in ${path}, at lines ${lines.join(", ")}${more}`
  if (!mayQuote) return `${summary}. `
  const matches = [...new Set(lines)].map((line) => ({ index: line - 1, at: 0 }))
  return `${summary}:\n${showMatches(path, linesOf(text.replace(/\r?\n$/, "")), matches, contextLines).join("\n")}\n`
}

const similarity = (a: string, b: string): number => {
  const [first, right] = [a.trim().slice(0, maxComparedLength), b.trim().slice(0, maxComparedLength)]
  const longer = Math.max(first.length, right.length)
  if (longer === 0 || Math.min(first.length, right.length) < longer / 2) return 0
  return 1 - distance(first, right) / longer
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, "")

const longestOf = (lines: ReadonlyArray<string>): number =>
  lines.reduce((best, line, index) => (line.trim().length > (lines[best] ?? "").trim().length ? index : best), 0)

/** The average similarity of the wanted lines to the lines from index `first` on. */
const likeness = (lines: ReadonlyArray<string>, first: number, wanted: ReadonlyArray<string>): number => {
  const compared = wanted
    .slice(0, maxQuotedLines)
    .flatMap((line, index) => (line.trim() === "" ? [] : [similarity(lines[first + index] ?? "", line)]))
  return compared.reduce((sum, one) => sum + one, 0) / Math.max(1, compared.length)
}

/** The lines most similar to the wanted text, as a hint for the model. The search starts at the longest wanted line. */
const nearestLines = (text: string, wantedText: string): string => {
  const wanted = linesOf(wantedText.replace(/\r?\n$/, ""))
  const lines = linesOf(text)
  const anchor = longestOf(wanted)
  const firsts = lines
    .slice(0, maxComparedLines)
    .map((line, index) => ({ first: Math.max(0, index - anchor), score: similarity(line, wanted[anchor] ?? "") }))
    .filter(({ score }) => score >= alike)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxPlaces)
    .map(({ first }) => ({ first, score: likeness(lines, first, wanted) }))
  const best = firsts.reduce((most, one) => (one.score > most.score ? one : most), { first: 0, score: 0 })
  if (best.score < alike) {
    const part = (wanted[anchor] ?? "").trim()
    const holding = part === "" ? -1 : lines.findIndex((line) => line.includes(part))
    return holding < 0
      ? "No line is similar. Read the file and copy the lines from it."
      : `Line ${holding + 1} holds a part of it; if that is meant, copy the whole line:\n${lines[holding]}`
  }
  const { first } = best
  const nearestLines = lines.slice(first, first + Math.min(wanted.length, maxQuotedLines))
  const isOnlyBlanks = withoutBlanks(nearestLines.join("\n")) === withoutBlanks(wantedText)
  const place =
    nearestLines.length === 1 ? `Line ${first + 1} is` : `Lines ${first + 1} to ${first + nearestLines.length} are`
  const hint = isOnlyBlanks ? "nearest and differ only in blanks" : "nearest"
  return `${place} ${hint}; if that is meant, copy from here exactly:\n${nearestLines.join("\n")}`
}

/** The places of one edit, or its problem; undefined if its old text is absent. */
const placesOf = (
  edited: EditedText,
  edit: TextEdit,
  old: string
): Result.Result<ReadonlyArray<TextPlace>, string> | undefined => {
  const { newText, oldText, replaceAll = false } = edit
  if (oldText === "") return Result.fail(`The ${old} is empty. Give the lines that are replaced.`)
  if (oldText === newText) return Result.fail(`The ${old} and its new_text are the same, so nothing would change.`)
  if (!newText.isWellFormed()) return Result.fail(`The new_text for the ${old} holds half a character.`)
  const places = findText(edited.text, edit, replaceAll)
  if (places.length === 0) return undefined
  if (places.length === 1 || replaceAll) return Result.succeed(places)
  return Result.fail(
    `The ${old} occurs ${showPlaces(edited, places)}Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them.`
  )
}

const minKnown = 10

const notFound = ({ mayQuote, path, text }: EditedText, { newText, oldText }: TextEdit, old: string): string => {
  const absent = `The ${old} does not occur in ${path}`
  const there = newText.trim().length < minKnown ? [] : findText(text, { oldText: newText, newText }, false)
  const [place] = there
  if (place !== undefined && there.length === 1) {
    return `${absent}, and the new one is already there, at line ${lineAt(text, place.from)}.`
  }
  const left = elisionIn({ path, newText: oldText, oldText: text })?.trim()
  if (left !== undefined) return `${absent}. The line ${JSON.stringify(left)} stands for others: write them out.`
  return `${absent}.${mayQuote ? ` ${nearestLines(text, oldText)}` : ""}`
}

const inOrder = <A extends TextPlace>(places: ReadonlyArray<A>) => places.toSorted((a, b) => a.from - b.from)

const replaceAt = (text: string, places: ReadonlyArray<TextPlace>): string => {
  const parts: Array<string> = []
  let at = 0
  for (const { from, newText, to } of inOrder(places)) {
    parts.push(text.slice(at, from), newText)
    at = to
  }
  return [...parts, text.slice(at)].join("")
}

/** A place, and the number of the edit that changes it, from 1. */
interface PlacedEdit extends TextPlace {
  readonly edit: number
}

/** The problem of two edits that overlap. */
const clashIn = (text: string, places: ReadonlyArray<PlacedEdit>): string | undefined => {
  const ordered = inOrder(places)
  const index = ordered.findIndex(({ from }, at) => (ordered[at - 1]?.to ?? 0) > from)
  const [before, place] = [ordered[index - 1], ordered[index]]
  if (before === undefined || place === undefined) return undefined
  const [first, second] = [before.edit, place.edit].toSorted((a, b) => a - b)
  return `The edits ${first} and ${second} change the same text at line ${lineAt(text, place.from)}. Put them into one edit.`
}

/**
 * The text after all edits of a call. Edits apply to the original text, so their order does not matter. If the original
 * text lacks the old text of an edit, this edit applies to the result of the other edits. Fails with all problems, as
 * sentences for the model.
 */
export const editText = (edited: EditedText, edits: ReadonlyArray<TextEdit>): Result.Result<string, string> => {
  const nameOf = (index: number) => (edits.length === 1 ? "old_text" : `old_text of edit ${index + 1}`)
  const placements = edits.map((edit, index) => placesOf(edited, edit, nameOf(index)))
  const problems = new Map<number, string>()
  let places: ReadonlyArray<PlacedEdit> = []
  for (const [index, placed] of placements.entries()) {
    if (placed === undefined) continue
    if (Result.isFailure(placed)) {
      problems.set(index, placed.failure)
      continue
    }
    const joined = [...places, ...placed.success.map((place) => Object.assign({}, place, { edit: index + 1 }))]
    const clash = clashIn(edited.text, joined)
    if (clash === undefined) places = joined
    else problems.set(index, clash)
  }
  let text = replaceAt(edited.text, places)
  for (const [index, edit] of edits.entries()) {
    if (placements[index] !== undefined) continue
    const later = places.length === 0 ? undefined : placesOf({ ...edited, text }, edit, nameOf(index))
    if (later === undefined) problems.set(index, notFound(edited, edit, nameOf(index)))
    else if (Result.isFailure(later)) problems.set(index, later.failure)
    else text = replaceAt(text, later.success)
  }
  const said = edits.flatMap((_, index) => problems.get(index) ?? [])
  return said.length > 0 ? Result.fail(said.join("\n")) : Result.succeed(text)
}

const isOnce = (text: string, part: string): boolean => {
  const at = text.indexOf(part)
  return part !== "" && at >= 0 && text.indexOf(part, at + 1) < 0
}

/** The lines of both texts, and how many lines at the beginning and at the end are equal. */
export const changedLines = (before: string, after: string) => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  return { old, now, head, tail }
}

/**
 * The difference of two texts as one replacement, from the first to the last difference. More lines are added until the
 * old lines occur only once. Undefined for equal texts.
 */
export const smallestEdit = (before: string, after: string): TextEdit | undefined => {
  if (before === after) return undefined
  const { now, old, ...same } = changedLines(before, after)
  let { head, tail } = same
  const textOf = (lines: ReadonlyArray<string>): string => lines.slice(head, lines.length - tail).join("\n")
  /* An edit that only removes lines would leave an empty line. It therefore includes a neighbouring line that stays. */
  const removesLines = () => now.length === head + tail
  while ((head > 0 || tail > 0) && (removesLines() || !isOnce(before, textOf(old)))) {
    head = Math.max(0, head - 1)
    tail = Math.max(0, tail - 1)
  }
  return { oldText: textOf(old), newText: textOf(now) }
}

/** The maximum number of differences between two texts. If they have more, the whole text counts as replaced. */
const maxDifferences = 2000

/**
 * The difference of two texts as replacements of whole lines, one for each place. Each replacement is extended until
 * its old lines occur only once.
 */
export const editsBetween = (before: string, after: string): ReadonlyArray<TextEdit> => {
  const old = before.split("\n")
  const edits: Array<ReplacedLines & { readonly edit: TextEdit }> = []
  for (let hunk of replacedLines(old, after.split("\n"), maxDifferences)) {
    const isAlone = ({ from, lines, to }: ReplacedLines): boolean =>
      lines.length > 0 && from < to && isOnce(before, old.slice(from, to).join("\n"))
    while (!isAlone(hunk) && (hunk.from > 0 || hunk.to < old.length)) {
      const [above, below] = [old.slice(Math.max(0, hunk.from - 1), hunk.from), old.slice(hunk.to, hunk.to + 1)]
      hunk = {
        from: hunk.from - above.length,
        to: hunk.to + below.length,
        lines: [...above, ...hunk.lines, ...below]
      }
    }
    const last = edits.at(-1)
    /* If two replacements overlap, one replacement covers the whole difference. */
    if (last !== undefined && hunk.from < last.to) return [smallestEdit(before, after) ?? last.edit]
    edits.push({ ...hunk, edit: { oldText: old.slice(hunk.from, hunk.to).join("\n"), newText: hunk.lines.join("\n") } })
  }
  return edits.map(({ edit }) => edit)
}

/** A line that contains the searched text. Its number counts from 1. */
export interface TextLine {
  readonly path: string
  readonly line: number
}

const nameSign = /[\p{L}\p{N}_$]/u
const isSign = (text: string | undefined): boolean => nameSign.test(text ?? "")

const isBlank = (text: string | undefined): boolean => text === " " || text === "\t"

/**
 * The offsets of the pattern. If the pattern begins or ends with a name, only the whole name matches: `open(` does not
 * match in `reopen(`. If it begins with an indentation, a deeper indentation does not match.
 */
export const offsetsIn = (text: string, pattern: string): ReadonlyArray<number> => {
  const beginsName = isSign(pattern[0])
  const endsName = isSign(pattern.at(-1))
  const isIndented = /^(?: {2}|\t)/.test(pattern)
  const offsets: Array<number> = []
  for (let at = text.indexOf(pattern); at !== -1;) {
    const [before, after] = [text[at - 1], text[at + pattern.length]]
    const isPart = (beginsName && isSign(before)) || (endsName && isSign(after)) || (isIndented && isBlank(before))
    if (!isPart) offsets.push(at)
    at = text.indexOf(pattern, at + (isPart ? 1 : pattern.length))
  }
  return offsets
}

const spelled = (text: string, pattern: string): string =>
  spellings(text)
    .map((spell) => spell(pattern))
    .find((one) => text.includes(one)) ?? pattern

/** True for a text that contains the pattern, with any kind of line ends. */
export const holdsPattern = (text: string, pattern: string): boolean => text.includes(spelled(text, pattern))

/** The line number of each offset; the offsets must ascend. */
const lineNumbers = (text: string, offsets: ReadonlyArray<number>): ReadonlyArray<number> => {
  let [line, at] = [1, 0]
  return offsets.map((offset) => {
    line += lineAt(text.slice(at, offset), offset) - 1
    at = offset
    return line
  })
}

/**
 * Makes a test for excepted lines. Without `line`, it tests whether a whole file is excepted. An exception is
 * `path:line`, `path`, or a folder with a final slash.
 */
export const exceptedPlaces = (except: ReadonlyArray<string>): ((path: string, line?: number) => boolean) => {
  const places = new Set(except.map((place) => place.trim().replace(/^\.\//, "")))
  const folders = [...places].filter((place) => place.endsWith("/"))
  return (path, line) =>
    places.has(path) || places.has(`${path}:${line}`) || folders.some((folder) => path.startsWith(folder))
}

/** The lines that contain the pattern, each once, without the excepted places. */
export const replacePlaces = (
  files: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  { except, pattern }: { readonly pattern: string; readonly except: ReadonlyArray<string> }
): ReadonlyArray<TextLine> => {
  const isExcepted = exceptedPlaces(except)
  return files.flatMap(({ path, text }) => {
    if (pattern === "") return []
    const offsets = offsetsIn(text, spelled(text, pattern))
    return [...new Set(lineNumbers(text, offsets))]
      .filter((line) => !isExcepted(path, line))
      .map((line) => ({ path, line }))
  })
}

export const replaceIn = (text: string, pattern: string, by: string, exceptLines: ReadonlyArray<number>): string => {
  if (pattern === "") return text
  const oldText = spelled(text, pattern)
  const newText = spellings(text)[0](by)
  const offsets = offsetsIn(text, oldText)
  const lines = lineNumbers(text, offsets)
  const excepted = new Set(exceptLines)
  const replaced = offsets.filter((_, index) => !excepted.has(lines[index] ?? 0))
  return replaceAt(
    text,
    replaced.map((from) => ({ from, to: from + oldText.length, newText }))
  )
}
