/**
 * JSON with places: reads a text that a person wrote and knows the line and column of every key and element, so that a
 * problem found later can be shown where it stands.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type JSONVisitor, visit } from "jsonc-parser"
import { maxNesting } from "./Json.ts"

/** A position in a string; both count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** What is wrong, at which place. */
export interface JsonProblem extends Place {
  readonly what: string
}

/** A value with the places of its parts; the place of an unknown path is that of its nearest known parent. */
export interface LocatedJson {
  readonly value: Schema.Json
  readonly placeOf: (path: ReadonlyArray<PropertyKey>) => Place
}

const keyOf = (path: ReadonlyArray<PropertyKey>): string => JSON.stringify(path.map(String))

/** The first problem of a text; thrown, because the parser would go on and descend without a bound. */
class Broken extends Data.Error<{ readonly problem: JsonProblem }> {}

/** The parser counts lines and columns from 0. */
const brokenAt = (line: number, column: number, what: string): Broken =>
  new Broken({ problem: { line: line + 1, column: column + 1, what } })

/** What a text may not hold, by the number that the parser gives the mistake. */
const lexical: Readonly<Record<number, string>> = {
  10: "JSON has no comments. Remove this one.",
  11: "JSON has no comments. Remove this one.",
  12: "the closing quote of this string is missing, or the string has a line break, which is written \\n.",
  14: "a backslash and u stand before four hexadecimal digits. Write a plain backslash twice.",
  15: "this string has a backslash that stands for nothing. Write a backslash twice.",
  16: "this string has a control character. Write a tab as \\t and a line break as \\n."
}

/** What to do about a sign or word that stands where something else is expected. */
const advice = (text: string, offset: number): string => {
  const rest = text.slice(offset, offset + 20)
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(0, offset))) return ` Remove the comma before "${rest.charAt(0)}".`
  if (/^['`\u2018-\u201f]/.test(rest)) return " Write straight double quotes."
  if (/^(?:True|False|None|undefined|NaN)\b/.test(rest)) return " Write true, false or null."
  return ""
}

/** What is wrong at a place: what the parser found there, or what it expected. */
const faultAt = (text: string, code: number, offset: number, expected: string): string =>
  lexical[code] ??
  `${expected} is expected${offset >= text.length ? ", but the text ends." : `.${advice(text, offset)}`}`

type Path = () => ReadonlyArray<PropertyKey>

/** The place of every part of the text; throws `Broken` where it is not strict JSON or repeats a key. */
const locateParts = (text: string): ReadonlyMap<string, Place> => {
  const places = new Map<string, Place>()
  const closings: Array<string> = []
  let expected = "a value"

  const note = (line: number, column: number, path: ReadonlyArray<PropertyKey>): void => {
    if (path.length > maxNesting) throw brokenAt(line, column, "the text is nested too deeply.")
    if (!places.has(keyOf(path))) places.set(keyOf(path), { line: line + 1, column: column + 1 })
  }
  const open =
    (closing: string, inside: string) => (_: number, _length: number, line: number, column: number, path: Path) => {
      note(line, column, path())
      closings.push(closing)
      expected = inside
    }
  const afterValue = (): void => {
    expected = closings.length === 0 ? "the end of the text" : `"," or "${closings.at(-1)}"`
  }
  /** Also called, without a length, where the closing sign is missing. */
  const close = (_: number, length: number): void => {
    if (length === 0) return
    closings.pop()
    afterValue()
  }
  const visitor: JSONVisitor = {
    onObjectBegin: open("}", "a key in double quotes"),
    onArrayBegin: open("]", "a value"),
    onObjectEnd: close,
    onArrayEnd: close,
    onObjectProperty: (name, offset, length, line, column, path) => {
      const member = [...path(), name]
      const written = text.slice(offset, offset + length)
      if (places.has(keyOf(member))) throw brokenAt(line, column, `the key ${written} stands here a second time.`)
      note(line, column, member)
      expected = '":"'
    },
    onLiteralValue: (_, _offset, _length, line, column, path) => {
      note(line, column, path())
      afterValue()
    },
    onSeparator: (sign) => {
      expected = sign === "," && closings.at(-1) === "}" ? "a key in double quotes" : "a value"
    },
    onError: (code, offset, _length, line, column) => {
      throw brokenAt(line, column, faultAt(text, code, offset, expected))
    }
  }
  visit(text, visitor, { disallowComments: true })
  return places
}

/** Reads strict JSON, also without a value for repeated keys. */
export const readJson = (text: string): Result.Result<LocatedJson, JsonProblem> =>
  Result.try({
    try: () => {
      const places = locateParts(text)
      const placeOf = (path: ReadonlyArray<PropertyKey>): Place =>
        places.get(keyOf(path)) ?? (path.length === 0 ? { line: 1, column: 1 } : placeOf(path.slice(0, -1)))
      return { value: JSON.parse(text) as Schema.Json, placeOf }
    },
    catch: (error) => {
      if (!(error instanceof Broken)) throw error
      return error.problem
    }
  })
