/**
 * JSON with places: reads a text that a person wrote and knows the line and column of every key and element, so that a
 * problem found later can be shown where it stands. Called by the configuration reader.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A position in a text; both count from 1. */
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

const space = /[ \t\n\r]*/y
/** Control characters are not allowed, except those that only Unicode calls so. */
const string = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** Deeper text than this is nobody's configuration. */
const maxDepth = 64

const keyOf = (path: ReadonlyArray<PropertyKey>): string => JSON.stringify(path.map(String))

const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Walks the text once, noting the offset of every part; returns where the grammar breaks, if it does. */
const scan = (text: string, offsets: Map<string, number>): { offset: number; what: string } | undefined => {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const sign = (char: string): boolean => {
    take(space)
    if (text[at] !== char) return false
    at += 1
    return true
  }
  const expected = (what: string) => ({
    offset: at,
    what: `${what} is expected${at >= text.length ? ", but the text ends" : ""}`
  })

  const members = (close: string, member: (index: number) => ReturnType<typeof expected> | undefined) => {
    if (sign(close)) return undefined
    for (let index = 0; ; index++) {
      take(space)
      const broken = member(index)
      if (broken !== undefined) return broken
      if (sign(close)) return undefined
      if (!sign(",")) return expected(`"," or "${close}"`)
    }
  }
  const value = (path: ReadonlyArray<PropertyKey>): ReturnType<typeof expected> | undefined => {
    take(space)
    if (path.length > maxDepth) return { offset: at, what: "the text is nested too deeply" }
    if (!offsets.has(keyOf(path))) offsets.set(keyOf(path), at)
    if (sign("[")) return members("]", (index) => value([...path, index]))
    if (sign("{")) return members("}", () => property(path))
    return (take(string) ?? take(scalar)) === undefined ? expected("a value") : undefined
  }
  const property = (path: ReadonlyArray<PropertyKey>) => {
    const start = at
    const name = take(string)
    if (name === undefined) return expected("a key in double quotes")
    const child = [...path, JSON.parse(name) as string]
    if (offsets.has(keyOf(child))) return { offset: start, what: `the key ${name} stands here a second time` }
    offsets.set(keyOf(child), start)
    return sign(":") ? value(child) : expected('":"')
  }

  const broken = value([])
  if (broken !== undefined) return broken
  take(space)
  return at < text.length ? expected("the end of the text") : undefined
}

/** Reads strict JSON, also without a value for repeated keys. */
export const readJson = (text: string): Result.Result<LocatedJson, JsonProblem> => {
  const offsets = new Map<string, number>()
  const broken = scan(text, offsets)
  if (broken !== undefined) return Result.fail({ ...placeAt(text, broken.offset), what: broken.what })
  const placeOf = (path: ReadonlyArray<PropertyKey>): Place => {
    const offset = offsets.get(keyOf(path))
    return offset === undefined && path.length > 0 ? placeOf(path.slice(0, -1)) : placeAt(text, offset ?? 0)
  }
  return Result.succeed({ value: JSON.parse(text) as Schema.Json, placeOf })
}
