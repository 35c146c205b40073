/**
 * Replacements of literal text in a file. Each is looked for by itself: those that fit are made, the others are reported so
 * that a small model can correct them. Line ends stay as they are.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { nearestLines, showPlaces } from "./EditPlaces.ts"
import { findText, lineAt, type TextPlace } from "./TextMatch.ts"

/** One replacement: `oldText` must occur exactly once, unless `replaceAll` is true. */
export const TextEdit = Schema.Struct({
  oldText: Schema.String,
  newText: Schema.String,
  replaceAll: Schema.optionalKey(Schema.Boolean)
})
export type TextEdit = typeof TextEdit.Type

/** The text of a file that edits are made in. */
export interface EditedText {
  /** Named in problems. */
  readonly path: string
  readonly text: string
  /** False for text that may not be quoted in a problem. */
  readonly mayQuote: boolean
}

/** What became of one edit: the lines that it wrote, or why it was not made. */
export interface EditOutcome {
  /** The index of the edit. */
  readonly edit: number
  /** First and last line in the new text; absent for an edit that was not made. */
  readonly lines?: readonly [from: number, to: number]
  /** Why it was not made, and what to do. */
  readonly problem?: string
  /** In which way the place was found, when the old text does not stand there exactly. */
  readonly note?: string
}

/** The text with the edits that could be made, and what became of each of them. */
export interface EditedResult {
  readonly text: string
  readonly outcomes: ReadonlyArray<EditOutcome>
}

/** How the author of the edits calls them. */
interface Wording {
  readonly old: (index: number) => string
  readonly new: string
  readonly ambiguous: string
  readonly join: (first: number, second: number, line: number) => string
}

const blockWords: Wording = {
  old: () => "old text",
  new: "new text",
  ambiguous: "Send a block for each place, with a line before or after it that tells the places apart.",
  join: (first, _, line) =>
    `This block and block ${first} change the same text at line ${line}. Put them into one block.`
}

const callWords = (edits: ReadonlyArray<TextEdit>): Wording => {
  const of = (index: number): string => (edits.length === 1 ? "" : ` of edit ${index + 1}`)
  return {
    old: (index) => `old_text${of(index)}`,
    new: "new_text",
    ambiguous:
      "Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them.",
    join: (first, second, line) =>
      `The edits ${first} and ${second} change the same text at line ${line}. Put them into one edit.`
  }
}

interface Found {
  readonly places: ReadonlyArray<TextPlace>
  readonly note?: string
}

const fail = (problem: string): Result.Result<never, string> => Result.fail(problem)

/** The places of one edit, or what is wrong with it; nothing when its old text is not there. */
const placesOf = (
  { mayQuote, path, text }: EditedText,
  edit: TextEdit,
  index: number,
  words: Wording
): Result.Result<Found, string> | undefined => {
  const { newText, oldText, replaceAll = false } = edit
  const old = words.old(index)
  if (oldText === "") return fail(`The ${old} is empty. Give the lines that are replaced.`)
  if (oldText === newText) return fail(`The ${old} and its ${words.new} are the same, so nothing would change.`)
  if (!newText.isWellFormed()) return fail(`The ${words.new} for the ${old} holds half a character.`)
  const { note, places } = findText(text, edit, !replaceAll)
  if (places.length === 0) return undefined
  if (places.length > 1 && !replaceAll) {
    return fail(`The ${old} occurs ${showPlaces({ path, text, mayQuote }, places)}${words.ambiguous}`)
  }
  return Result.succeed({ places, ...(note === undefined ? {} : { note }) })
}

const notFound = ({ mayQuote, path, text }: EditedText, { newText, oldText }: TextEdit, old: string): string => {
  const there = newText.trim().length < 10 ? [] : findText(text, { oldText: newText, newText: "" }, true).places
  const [place] = there
  if (place !== undefined && there.length === 1) {
    return `The ${old} does not occur in ${path}, and the new text stands there already, at line ${lineAt(text, place.from)}.`
  }
  return `The ${old} does not occur in ${path}.${mayQuote ? ` ${nearestLines(text, oldText)}` : ""}`
}

/** A place that was changed, in the text as it is now. */
interface Made {
  readonly edit: number
  readonly from: number
  readonly to: number
}

const overlaps = (a: { from: number; to: number }, b: { from: number; to: number }): boolean =>
  a.from < b.to && b.from < a.to

/** Makes replacements that do not overlap; gives where they and the earlier ones are then. */
const replaceAt = (text: string, edit: number, places: ReadonlyArray<TextPlace>, made: ReadonlyArray<Made>) => {
  let now = text
  let moved = [...made]
  for (const { from, newText, to } of places.toSorted((a, b) => b.from - a.from)) {
    now = now.slice(0, from) + newText + now.slice(to)
    const shift = newText.length - (to - from)
    moved = moved.map((one) => ({
      edit: one.edit,
      from: one.from >= to ? one.from + shift : Math.min(one.from, one.from),
      to: one.to >= to ? one.to + shift : one.to
    }))
    moved.push({ edit, from, to: from + newText.length })
  }
  return { text: now, made: moved }
}

const linesOf = (text: string, { from, to }: Made): readonly [number, number] => {
  const first = lineAt(text, from)
  return [first, Math.max(first, lineAt(text, Math.max(from, to - 1)))]
}

const edit = (edited: EditedText, edits: ReadonlyArray<TextEdit>, words: Wording): EditedResult => {
  const notes = new Map<number, string>()
  const problems = new Map<number, string>()
  const original: Array<TextPlace & { readonly edit: number }> = []
  const later: Array<number> = []
  for (const [index, one] of edits.entries()) {
    const found = placesOf(edited, one, index, words)
    if (found === undefined) later.push(index)
    else if (Result.isFailure(found)) problems.set(index, found.failure)
    else {
      const clash = original.find((place) => found.success.places.some((other) => overlaps(place, other)))
      const hit = found.success.places.find((place) => clash !== undefined && overlaps(place, clash))
      if (clash !== undefined && hit !== undefined) {
        const line = lineAt(edited.text, Math.max(clash.from, hit.from))
        problems.set(index, words.join(clash.edit + 1, index + 1, line))
        continue
      }
      original.push(...found.success.places.map((place) => ({ ...place, edit: index })))
      if (found.success.note !== undefined) notes.set(index, found.success.note)
    }
  }
  let state: { readonly text: string; readonly made: ReadonlyArray<Made> } = { text: edited.text, made: [] }
  for (const place of original.toSorted((a, b) => b.from - a.from)) {
    state = replaceAt(state.text, place.edit, [place], state.made)
  }
  for (const index of later) {
    const one = edits[index]
    if (one === undefined) continue
    const found = original.length === 0 ? undefined : placesOf({ ...edited, text: state.text }, one, index, words)
    if (found === undefined) problems.set(index, notFound(edited, one, words.old(index)))
    else if (Result.isFailure(found)) problems.set(index, found.failure)
    else {
      state = replaceAt(state.text, index, found.success.places, state.made)
      notes.set(index, "found in the text after the edits before it")
    }
  }
  const outcomes = edits.map((_, index): EditOutcome => {
    const problem = problems.get(index)
    if (problem !== undefined) return { edit: index, problem }
    const ranges = state.made.filter((one) => one.edit === index).map((one) => linesOf(state.text, one))
    const lines = [Math.min(...ranges.map(([from]) => from)), Math.max(...ranges.map(([, to]) => to))] as const
    const note = notes.get(index)
    return { edit: index, lines, ...(note === undefined ? {} : { note }) }
  })
  return { text: state.text, outcomes }
}

/**
 * Makes the edits of an answer that fit. Each is looked for in the text as it was, so that their order does not matter, and
 * else in what the others made of it. Problems speak of blocks.
 */
export const applyEdits = (edited: EditedText, edits: ReadonlyArray<TextEdit>): EditedResult =>
  edit(edited, edits, blockWords)

/** The text after all edits of a call. Fails with all problems, as sentences for the model, when one cannot be made. */
export const editText = (edited: EditedText, edits: ReadonlyArray<TextEdit>): Result.Result<string, string> => {
  const { outcomes, text } = edit(edited, edits, callWords(edits))
  const problems = outcomes.flatMap(({ problem }) => problem ?? [])
  return problems.length > 0 ? Result.fail(problems.join("\n")) : Result.succeed(text)
}
