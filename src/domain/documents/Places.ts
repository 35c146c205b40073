/**
 * Numbers places in files, and shows them in parts that fit the window. The model decides about all places of a part in
 * one answer.
 */
import * as Schema from "effect/Schema"
import { languageOf } from "../files/Language.ts"
import { fenceFor, rawBlock } from "../markdown/PromptBlock.ts"
import { joinRanges } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { ListedPlace, longestLine } from "./ListedPlaces.ts"

/** A place and its number in the task's list, from 1. `of` is the length of the list. */
export const NumberedPlace = Schema.Struct({
  ...ListedPlace.fields,
  number: Schema.Int,
  of: Schema.Int,
  text: Schema.String
})
export type NumberedPlace = typeof NumberedPlace.Type

/** True for a place of the list. Lines that are shown around places have negative numbers, which no prompt shows. */
export const isNumbered = ({ number }: NumberedPlace): boolean => number > 0

/** Lines that prompts show around places, without a number. A model may change them by path and line. */
export const unnumberedLines = (places: ReadonlyArray<NumberedPlace>): ReadonlyArray<NumberedPlace> => {
  const keyOf = ({ line, path }: NumberedPlace): string => `${path}:${line}`
  const numbered = new Set(places.map(keyOf))
  const around = places.flatMap((place) => {
    const shown = [...(place.heads ?? []), ...place.lines.map((text, index) => ({ line: place.first + index, text }))]
    return shown.map(({ line, text }) => Object.assign({}, place, { line, first: line, lines: [text] }))
  })
  const lines = new Map(around.map((place) => [keyOf(place), place]))
  return [...lines.values()]
    .filter((place) => !numbered.has(keyOf(place)) && (place.lines[0] ?? "").length < longestLine.around)
    .map((place, index) => Object.assign(place, { number: -1 - index }))
}

/** The maximum number of places in a prompt. If there are more, a model forgets some. */
const mostPlaces = 60

/** The numbers in ascending order, as text: `1, 4-6, 9`. */
export const numbersText = (numbers: ReadonlyArray<number>): string =>
  joinRanges(numbers.map((number) => ({ from: number, to: number })))
    .map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`))
    .join(", ")

/** Places of one file whose shown lines overlap or touch. */
interface Block {
  readonly path: string
  readonly within: string
  readonly lines: Map<number, string>
  readonly numbers: Map<number, number>
}

const blocksOf = (places: ReadonlyArray<NumberedPlace>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (const { first, heads = [], line, lines, number, path, within } of places) {
    const last = blocks.at(-1)
    const isSame = last?.path === path && last.within === within
    const block =
      isSame && (last.lines.has(first - 1) || last.lines.has(first))
        ? last
        : { path, within, lines: new Map<number, string>(), numbers: new Map<number, number>() }
    if (block !== last) blocks.push(block)
    for (const head of heads) block.lines.set(head.line, head.text)
    for (const [index, text] of lines.entries()) block.lines.set(first + index, text)
    block.numbers.set(line, number)
  }
  return blocks
}

/** The lines of a block. A place's number stands before its line. */
const blockText = ({ lines, numbers, within }: Block): string => {
  const rows = [...lines]
    .toSorted(([a], [b]) => a - b)
    .map(([line, text]) => {
      const [row = ""] = numberLines([text], line)
      const number = numbers.get(line)
      return number === undefined ? row : `[${number}] ${row}`
    })
  return [...(within === "" ? [] : [`in ${within}:`]), ...rows].join("\n")
}

export const placesText = (places: ReadonlyArray<NumberedPlace>): string =>
  [...Map.groupBy(blocksOf(places), ({ path }) => path)]
    .map(([path, blocks]) => {
      const text = blocks.map(blockText).join("\n\n")
      const fence = fenceFor(text)
      const { meaning } = places.find((place) => place.path === path) ?? {}
      return `${path}${meaning === undefined ? "" : `\n\n${meaning}`}\n\n${fence}${languageOf(path)}\n${text}\n${fence}`
    })
    .join("\n\n")

export const placesBlock = (places: ReadonlyArray<NumberedPlace>): string => {
  const numbers = numbersText(places.map(({ number }) => number))
  return rawBlock(`## Places ${numbers} of ${places[0]?.of ?? 0}`, placesText(places))
}

/** Groups places on consecutive lines of a file: such lines cannot be changed separately. */
const neighbours = (ofFile: ReadonlyArray<NumberedPlace>): ReadonlyArray<ReadonlyArray<NumberedPlace>> => {
  const groups: Array<Array<NumberedPlace>> = []
  for (const place of ofFile) {
    const last = groups.at(-1)
    if (last !== undefined && place.line - (last.at(-1)?.line ?? 0) <= 1) last.push(place)
    else groups.push([place])
  }
  return groups
}

/**
 * Divides places into parts of at most `budget` characters. All places of a file are in one part if possible, because
 * their changes are joined. The places of a larger file begin in the free space of the previous part. Places on
 * adjacent lines stay together if they fit.
 */
export const placeParts = (
  places: ReadonlyArray<NumberedPlace>,
  budget: number
): ReadonlyArray<ReadonlyArray<NumberedPlace>> => {
  const parts: Array<Array<NumberedPlace>> = []
  const fits = (part: ReadonlyArray<NumberedPlace>): boolean =>
    part.length <= mostPlaces && placesText(part).length <= budget
  for (const ofFile of Map.groupBy(places, ({ path }) => path).values()) {
    const last = parts.at(-1)
    if (last !== undefined && fits([...last, ...ofFile])) last.push(...ofFile)
    else {
      const groups = neighbours(ofFile).flatMap((group) => (fits(group) ? [group] : group.map((place) => [place])))
      for (const [index, group] of groups.entries()) {
        const open = parts.at(-1)
        if ((index > 0 || !fits(ofFile)) && open !== undefined && fits([...open, ...group])) open.push(...group)
        else parts.push([...group])
      }
    }
  }
  return parts
}
