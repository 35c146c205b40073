/**
 * Reads the JSON of a tool call, and repairs syntax errors. A repair keeps all content and adds none. Truncated or
 * missing parts are never guessed.
 */
import { jsonrepair } from "jsonrepair"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { IssueCode } from "../findings/Issue.ts"
import { type JsonScan, maxNesting, scanJson } from "../text/Json.ts"
import { readJson } from "../text/JsonText.ts"

interface JsonFailure {
  readonly code: IssueCode
  readonly what: string
}

/** The values of a block. `repaired` is true if it was not strict JSON, `split` if it had several values in a row. */
interface BlockValues {
  readonly values: ReadonlyArray<Schema.Json>
  readonly repaired: boolean
  readonly split: boolean
}

const maximumLength = 1_048_576
/**
 * A text with more brackets than this is not repaired, because the repair is recursive. Brackets in strings count too.
 */
const maximumBrackets = 500

const failure = (code: IssueCode, what: string): Result.Result<never, JsonFailure> => Result.fail({ code, what })

/** How many characters a message quotes, from the mistake on. */
const shownOfBlock = 40

/** Describes the first syntax error of a text. Quotes the text at the error, and does not give a line number. */
const faultOf = (text: string): string => {
  const read = readJson(text)
  if (Result.isSuccess(read)) return "it holds something that JSON does not know."
  const { column, line, what } = read.failure
  const rest = (text.split(/\r\n|\r|\n/)[line - 1] ?? "").slice(column - 1).trim()
  const shown = rest.length > shownOfBlock ? `${rest.slice(0, shownOfBlock)}...` : rest
  return shown === "" ? what : `where it says \`${shown}\`, ${what}`
}

const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({ try: () => JSON.parse(text) as Schema.Json, catch: () => faultOf(text) })

/** The value of strict JSON. Fails if a key or number is ambiguous. */
const checked = (value: Schema.Json, scan: JsonScan): Result.Result<Schema.Json, JsonFailure> => {
  if (scan.forbiddenKey !== undefined) {
    return failure("tool-call-key-forbidden", `The key "${scan.forbiddenKey}" is not allowed.`)
  }
  if (scan.repeatedKey !== undefined) {
    return failure("tool-call-key-duplicate", `The key "${scan.repeatedKey}" occurs twice in one object.`)
  }
  if (scan.inexactNumber !== undefined) {
    return failure("tool-call-number", `The number ${scan.inexactNumber} cannot be read exactly.`)
  }
  return Result.succeed(value)
}

/**
 * Doubles backslashes that begin no JSON escape (`\d`, `C:\Users`), and escapes control characters. The text must not
 * end in a string.
 */
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

/** What a repair must preserve: all characters except blanks, quotes, brackets and separators. */
const skeleton = (text: string): string =>
  text
    .replace(/\b(?:None|undefined|True|False)\b/g, (word) => literals[word] ?? word)
    .replace(/\\[nrtbf]/g, "")
    .replace(/\\u([\da-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[\s\\"'`´“”„‘’{}[\],:;]/g, "")

const withoutComments = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[^])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (token) => (token.startsWith('"') ? token : " "))

const keepsEverything = (source: string, repaired: string): boolean => {
  const after = skeleton(repaired)
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

const truncated = failure("tool-call-truncated", "The JSON breaks off before it is complete.")
const openText = failure(
  "tool-call-truncated",
  'A text in the JSON does not end: it breaks off, or holds a double quote that is not written as \\".'
)

const repair = (text: string, reason: string): Result.Result<Schema.Json, JsonFailure> => {
  const scan = scanJson(text)
  const unreadable = failure("tool-call-json", `The block is not valid JSON: ${reason}`)
  if (scan.open > 0 && !/[}\]]$/.test(text)) return truncated
  if (scan.ellipsis || bracketDepth(text) > maximumBrackets) return unreadable
  const repaired = Result.try({ try: () => jsonrepair(text), catch: () => reason })
  if (Result.isFailure(repaired) || !keepsEverything(text, repaired.success)) return unreadable
  const value = parse(repaired.success)
  if (Result.isFailure(value)) return unreadable
  return checked(value.success, scanJson(repaired.success))
}

/** Repairs a text and reads its value. `reason` says why the text is not strict JSON. */
const readRepaired = (text: string, scan: JsonScan, reason: string): Result.Result<Schema.Json, JsonFailure> => {
  if (scan.inString) return /\}\s*$/.test(text) ? openText : truncated
  const fixed = fixStrings(text)
  const again = parse(fixed)
  return Result.isSuccess(again) ? checked(again.success, scanJson(fixed)) : repair(fixed, reason)
}

/** Matches what models write between two values: blanks, commas, and fences of an unclosed block. */
const between = /^(?:[\s,;]|`{3,}\w*|~{3,}\w*)+/

/** Splits a text of several values into one text for each value. */
const pieces = (text: string, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cuts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end).replace(between, ""))
  const tail = text.slice(ends.at(-1) ?? 0).replace(between, "")
  const all = tail === "" ? cuts : [...cuts, tail]
  return all.length > 1 && all.every((piece) => /^[{[]/.test(piece)) ? all : [text]
}

export const readBlock = (source: string): Result.Result<BlockValues, JsonFailure> => {
  const text = source.trim()
  if (text.length > maximumLength) {
    return failure("tool-call-too-large", `The block has ${text.length} characters; at most ${maximumLength} are read.`)
  }
  const scan = scanJson(text)
  if (scan.deepest > maxNesting) {
    return failure(
      "tool-call-too-deep",
      `The JSON is nested ${scan.deepest} levels deep; at most ${maxNesting} are read.`
    )
  }
  const parts = pieces(text, scan.ends)
  const values: Array<Schema.Json> = []
  let repaired = false
  for (const part of parts) {
    const strict = parse(part)
    const own = scanJson(part)
    const one = Result.isSuccess(strict) ? checked(strict.success, own) : readRepaired(part, own, strict.failure)
    if (Result.isFailure(one)) return Result.fail(one.failure)
    values.push(one.success)
    repaired ||= Result.isFailure(strict)
  }
  return Result.succeed({ values, repaired, split: parts.length > 1 })
}
