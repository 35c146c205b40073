/**
 * Calls with long arguments, as the model sees them again once they were made: it wrote them itself, and the results say
 * what came of them.
 */
import type * as Schema from "effect/Schema"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { cutAt } from "../text/Excerpt.ts"

/** How much of a text, a list and a record is shown, and how deep. */
interface Measure {
  readonly characters: number
  readonly items: number
  readonly depth: number
}

const measures: ReadonlyArray<Measure> = [
  { characters: 1000, items: 50, depth: 6 },
  { characters: 200, items: 10, depth: 3 },
  { characters: 60, items: 4, depth: 1 }
]

const textNote = (text: string, { characters }: Measure): string => {
  const shown = cutAt(text, characters)
  return `${shown} [The first ${shown.length} of ${text.length} characters; the call was made with all of them.]`
}

const shortName = (name: string, { characters }: Measure): string =>
  name.length <= characters ? name : `${cutAt(name, characters)} [a longer name, with which the call was made]`

const shortValue = (value: Schema.Json, measure: Measure): Schema.Json => {
  if (typeof value === "string") return value.length <= measure.characters * 2 ? value : textNote(value, measure)
  if (typeof value !== "object" || value === null) return value
  if (measure.depth === 0) return "[Left out to make room; the call was made with it.]"
  const inner = { ...measure, depth: measure.depth - 1 }
  if (Array.isArray(value)) {
    const left = value.length - measure.items
    const shown = value.slice(0, measure.items).map((one) => shortValue(one, inner))
    return left <= 0 ? shown : [...shown, `[${left} more are left out; the call was made with all of them.]`]
  }
  const entries = Object.entries(value)
  const shown = entries
    .slice(0, measure.items)
    .map(([name, one]): [string, Schema.Json] => [shortName(name, measure), shortValue(one, inner)])
  const left = entries.length - measure.items
  return Object.fromEntries(left <= 0 ? shown : [...shown, ["and", `${left} more, with which the call was made`]])
}

const sizeOf = (calls: ReadonlyArray<AskedCall>): number => JSON.stringify(calls).length

/** The calls with shorter arguments, so that they take about `room` characters if they can; others stay as they are. */
export const shortCalls = (calls: ReadonlyArray<AskedCall>, room: number): ReadonlyArray<AskedCall> => {
  let short = calls
  for (const measure of measures) {
    if (sizeOf(short) <= room) break
    short = calls.map((call) => ({ ...call, arguments: shortValue(call.arguments, measure) }))
  }
  return sizeOf(short) < sizeOf(calls) ? short : calls
}
