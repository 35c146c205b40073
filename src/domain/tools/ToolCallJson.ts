/**
 * The JSON of a tool call block. Strict first; then slips of the pen are mended, as long as every character of the
 * source survives and nothing is added. What is cut off or left out is never guessed.
 */
import { jsonrepair } from "jsonrepair"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { IssueCode } from "../findings/IssueCode.ts"
import { type JsonScan, scanJson } from "../text/JsonScan.ts"

/** Why a block could not be read. */
export interface JsonFailure {
  readonly code: IssueCode
  readonly what: string
}

/** The values of a block; `mended` tells that it was not strict JSON, `split` that it held several values. */
export interface BlockValues {
  readonly values: ReadonlyArray<Schema.Json>
  readonly mended: boolean
  readonly split: boolean
}

const maximumLength = 1_048_576
const maximumDepth = 64
/** The mending is recursive; counted without regard to strings. */
const maximumBrackets = 500

const failure = (code: IssueCode, what: string): Result.Result<never, JsonFailure> => Result.fail({ code, what })

const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({
    try: () => JSON.parse(text) as Schema.Json,
    catch: (error) => String(error).replace(/^SyntaxError: /, "")
  })

const checkScan = (scan: JsonScan): Result.Result<void, JsonFailure> => {
  if (scan.forbiddenKey !== undefined) {
    return failure("tool-call-key-forbidden", `The key "${scan.forbiddenKey}" is not allowed.`)
  }
  if (scan.repeatedKey !== undefined) {
    return failure("tool-call-key-duplicate", `The key "${scan.repeatedKey}" stands twice in one object.`)
  }
  if (scan.inexactNumber !== undefined) {
    return failure("tool-call-number", `The number ${scan.inexactNumber} cannot be read exactly.`)
  }
  return Result.succeed(undefined)
}

/** Strings are whole here: the text does not end inside one. Doubles backslashes that JSON does not know (`\d`, `C:\Users`) and writes raw control characters as escapes. */
const fixStrings = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[^])*"/g, (token) =>
    token
      .replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4}|([^]))/g, (escape, unknown: string | undefined) =>
        unknown === undefined ? escape : `\\\\${unknown}`
      )
      .replace(/\n/g, "\\n")
      .replace(/\t/g, "\\t")
  )

const literals: Readonly<Record<string, string>> = { None: "null", undefined: "null", True: "true", False: "false" }

/** What must be the same before and after mending: everything but blanks, quotes, brackets and separators, in order. */
const skeleton = (text: string): string =>
  text
    .replace(/\b(?:None|undefined|True|False)\b/g, (word) => literals[word] ?? word)
    .replace(/\\[nrtbf]/g, "")
    .replace(/\\u([\da-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[\s\\"'`´“”„‘’{}[\],:;]/g, "")

const withoutComments = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[^])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (token) => (token.startsWith('"') ? token : " "))

const keepsEverything = (source: string, mended: string): boolean => {
  const after = skeleton(mended)
  return skeleton(source) === after || skeleton(withoutComments(source)) === after
}

const bracketDepth = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === "{" || character === "[") depth += 1
    if (character === "}" || character === "]") depth = Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const breaksOff = failure("tool-call-truncated", "The JSON breaks off before it is complete.")

const mend = (text: string, reason: string): Result.Result<Schema.Json, JsonFailure> => {
  const scan = scanJson(text)
  const unreadable = failure("tool-call-json", `The block is not valid JSON: ${reason}.`)
  if (scan.open > 0 && !/[}\]]$/.test(text)) return breaksOff
  if (scan.ellipsis || bracketDepth(text) > maximumBrackets) return unreadable
  const mended = Result.try({ try: () => jsonrepair(text), catch: () => reason })
  if (Result.isFailure(mended) || !keepsEverything(text, mended.success)) return unreadable
  const value = parse(mended.success)
  if (Result.isFailure(value)) return unreadable
  return Result.map(checkScan(scanJson(mended.success)), () => value.success)
}

interface Reading {
  readonly value: Schema.Json
  readonly mended: boolean
}

const readOne = (text: string): Result.Result<Reading, JsonFailure> => {
  const strict = parse(text)
  if (Result.isSuccess(strict)) {
    return Result.map(checkScan(scanJson(text)), () => ({ value: strict.success, mended: false }))
  }
  if (scanJson(text).inString) return breaksOff
  const fixed = fixStrings(text)
  const again = fixed === text ? strict : parse(fixed)
  if (Result.isSuccess(again)) {
    return Result.map(checkScan(scanJson(fixed)), () => ({ value: again.success, mended: true }))
  }
  return Result.map(mend(fixed, strict.failure), (value) => ({ value, mended: true }))
}

/** Blanks, commas, and the fence lines of a model that forgot to close one block before the next. */
const between = /^(?:[\s,;]|`{3,}\w*|~{3,}\w*)+/

/** The texts of several values that stand one after another; the whole text when it is one. */
const pieces = (text: string, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cuts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end).replace(between, ""))
  const tail = text.slice(ends.at(-1) ?? 0).replace(between, "")
  const all = tail === "" ? cuts : [...cuts, tail]
  return all.length > 1 && all.every((piece) => /^[{[]/.test(piece)) ? all : [text]
}

/** Reads the text of one block. */
export const readBlock = (source: string): Result.Result<BlockValues, JsonFailure> => {
  const text = source.trim()
  if (text.length > maximumLength) {
    return failure("tool-call-too-large", `The block has ${text.length} characters; at most ${maximumLength} are read.`)
  }
  const scan = scanJson(text)
  if (scan.deepest > maximumDepth) {
    return failure(
      "tool-call-too-deep",
      `The JSON is nested ${scan.deepest} levels deep; at most ${maximumDepth} are read.`
    )
  }
  const parts = pieces(text, scan.ends)
  const values: Array<Schema.Json> = []
  let mended = false
  for (const part of parts) {
    const one = readOne(part)
    if (Result.isFailure(one)) return Result.fail(one.failure)
    values.push(one.success.value)
    mended ||= one.success.mended
  }
  return Result.succeed({ values, mended, split: parts.length > 1 })
}
