/**
 * Replacements of literal text in a file. Each is looked for by itself: those that fit are made, the others are reported so
 * that a small model can correct them. Line ends stay as they are.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { nearestLines, showPlaces } from "./EditPlaces.ts"
import { isElision } from "./Elision.ts"
import { findText, lineAt, type TextMatch, type TextPlace } from "./TextMatch.ts"

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

/** What became of one edit. */
export interface EditOutcome {
  /** The index of the edit. */
  readonly edit: number
  /** The first and last line of what it wrote, in the new text; absent for an edit that was not made. */
  readonly lines?: readonly [from: number, to: number]
  /** Why it was not made, and what to do. */
  readonly problem?: string
  /** How its place was found, when the old text does not stand there exactly. */
  readonly note?: string
}

/** The text with the edits that could be made, and what became of each of them. */
export interface EditedResult {
  readonly text: string
  readonly outcomes: ReadonlyArray<EditOutcome>
}

/** How problems speak to the author of the edits. */
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
    `The block changes the same text as block ${first}, at line ${line}. Put them into one block.`
}

const callWords = (edits: ReadonlyArray<TextEdit>): Wording => ({
  old: (index) => (edits.length === 1 ? "old_text" : `old_text of edit ${index + 1}`),
  new: "new_text",
  ambiguous:
    "Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them.",
  join: (first, second, line) =>
    `The edits ${first} and ${second} change the same text at line ${line}. Put them into one edit.`
})

type Placed = Result.Result<TextMatch, string>

/** The places of one edit, or what is wrong with it; nothing when its old text is not there. */
const placesOf = (edited: EditedText, edit: TextEdit, index: number, words: Wording): Placed | undefined => {
  const { newText, oldText, replaceAll = false } = edit
  const old = words.old(index)
  if (oldText === "") return Result.fail(`The ${old} is empty. Give the lines that are replaced.`)
  if (oldText === newText) return Result.fail(`The ${old} and its ${words.new} are the same, so nothing would change.`)
  if (!newText.isWellFormed()) return Result.fail(`The ${words.new} for the ${old} holds half a character.`)
  const match = findText(edited.text, edit, replaceAll)
  if (match.places.length === 0) return undefined
  if (match.places.length === 1 || replaceAll) return Result.succeed(match)
  return Result.fail(`The ${old} occurs ${showPlaces(edited, match.places)}${words.ambiguous}`)
}

const minKnown = 10

const notFound = ({ mayQuote, path, text }: EditedText, { newText, oldText }: TextEdit, old: string): string => {
  const absent = `The ${old} does not occur in ${path}`
  const there = newText.trim().length < minKnown ? [] : findText(text, { oldText: newText, newText }, false).places
  const [place] = there
  if (place !== undefined && there.length === 1) {
    return `${absent}, and the new one stands there already, at line ${lineAt(text, place.from)}.`
  }
  const left = oldText.split("\n").find(isElision)?.trim()
  if (left !== undefined) return `${absent}. The line ${JSON.stringify(left)} stands for others: write them out.`
  return `${absent}.${mayQuote ? ` ${nearestLines(text, oldText)}` : ""}`
}

interface PlacedEdit extends TextPlace {
  readonly edit: number
}

/** A range that an edit wrote, in the text as it is now. */
interface Written {
  readonly edit: number
  readonly from: number
  readonly to: number
}

interface State {
  readonly text: string
  readonly written: ReadonlyArray<Written>
}

/** Makes replacements that do not overlap and moves the ranges of the earlier ones. */
const replaceAt = (state: State, places: ReadonlyArray<PlacedEdit>): State => {
  const ordered = places.toSorted((a, b) => a.from - b.from)
  const parts: Array<string> = []
  const added: Array<Written> = []
  let [at, length] = [0, 0]
  for (const { edit, from, newText, to } of ordered) {
    parts.push(state.text.slice(at, from), newText)
    length += from - at
    added.push({ edit, from: length, to: length + newText.length })
    length += newText.length
    at = to
  }
  const move = (offset: number): number =>
    ordered.reduce(
      (moved, { from, newText, to }) => (to <= offset ? moved + newText.length - (to - from) : moved),
      offset
    )
  const moved = state.written.map(({ edit, from, to }) => ({ edit, from: move(from), to: move(to) }))
  return { text: [...parts, state.text.slice(at)].join(""), written: [...moved, ...added] }
}

/** Two places of different edits that share text. */
const clashIn = (places: ReadonlyArray<PlacedEdit>): readonly [PlacedEdit, PlacedEdit] | undefined => {
  const ordered = places.toSorted((a, b) => a.from - b.from)
  for (const [index, place] of ordered.entries()) {
    const before = ordered[index - 1]
    if (before !== undefined && before.to > place.from) return [before, place]
  }
  return undefined
}

const linesOf = (text: string, written: ReadonlyArray<Written>): readonly [number, number] => {
  const from = written.reduce((least, one) => Math.min(least, one.from), text.length)
  const to = written.reduce((most, one) => Math.max(most, one.to), 0)
  return [lineAt(text, from), lineAt(text, Math.max(from, to - 1))]
}

const makeEdits = (edited: EditedText, edits: ReadonlyArray<TextEdit>, words: Wording): EditedResult => {
  const found = edits.map((edit, index) => placesOf(edited, edit, index, words))
  const said = new Map<number, { readonly problem?: string; readonly note?: string }>()
  let places: ReadonlyArray<PlacedEdit> = []
  for (const [index, placed] of found.entries()) {
    if (placed === undefined) continue
    if (Result.isFailure(placed)) {
      said.set(index, { problem: placed.failure })
      continue
    }
    const { note, places: own } = placed.success
    const joined = [...places, ...own.map(({ from, newText, to }) => ({ edit: index, from, newText, to }))]
    const clash = clashIn(joined)
    if (clash === undefined) places = joined
    const [first, second] = clash?.map(({ edit }) => edit + 1).toSorted((a, b) => a - b) ?? []
    if (clash !== undefined && first !== undefined && second !== undefined) {
      said.set(index, { problem: words.join(first, second, lineAt(edited.text, clash[1].from)) })
    } else if (note !== undefined) said.set(index, { note })
  }
  let state = replaceAt({ text: edited.text, written: [] }, places)
  for (const [index, edit] of edits.entries()) {
    if (found[index] !== undefined) continue
    const later = places.length === 0 ? undefined : placesOf({ ...edited, text: state.text }, edit, index, words)
    if (later === undefined || Result.isFailure(later)) {
      said.set(index, { problem: later?.failure ?? notFound(edited, edit, words.old(index)) })
      continue
    }
    state = replaceAt(
      state,
      later.success.places.map(({ from, newText, to }) => ({ edit: index, from, newText, to }))
    )
    said.set(index, { note: "found in what the other edits wrote" })
  }
  const outcomes = edits.map((_, index): EditOutcome => {
    const { note, problem } = said.get(index) ?? {}
    if (problem !== undefined) return { edit: index, problem }
    const own = state.written.filter(({ edit }) => edit === index)
    return { edit: index, lines: linesOf(state.text, own), ...(note === undefined ? {} : { note }) }
  })
  return { text: state.text, outcomes }
}

/**
 * Makes those edits of an answer that fit. Each is looked for in the text as it was, so that their order does not matter,
 * and else in what the others made of it. Problems speak of blocks.
 *
 * ```ts
 * applyEdits({ path: "a.ts", text: "a\nb\n", mayQuote: true }, [{ oldText: "b\n", newText: "c\n" }])
 * // { text: "a\nc\n", outcomes: [{ edit: 0, lines: [2, 2] }] }
 * ```
 */
export const applyEdits = (edited: EditedText, edits: ReadonlyArray<TextEdit>): EditedResult =>
  makeEdits(edited, edits, blockWords)

/** The text after all edits of a call. Fails with all problems, as sentences for the model, when one cannot be made. */
export const editText = (edited: EditedText, edits: ReadonlyArray<TextEdit>): Result.Result<string, string> => {
  const { outcomes, text } = makeEdits(edited, edits, callWords(edits))
  const problems = outcomes.flatMap(({ problem }) => problem ?? [])
  return problems.length > 0 ? Result.fail(problems.join("\n")) : Result.succeed(text)
}
