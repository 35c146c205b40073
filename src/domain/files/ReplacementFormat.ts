/**
 * Reads the JSON with which an answer replaces a text wherever it occurs:
 * `{"replace": "limit", "with": "maximum", "except": ["docs/history.md:4"]}`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** One literal text and what takes its place everywhere but in the places of `except`. */
export interface Replacement {
  readonly pattern: string
  readonly with: string
  readonly except: ReadonlyArray<string>
}

const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    replace: Schema.NonEmptyString,
    with: Schema.String,
    except: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
  })
)

/** True for a line with which such an object may begin. */
export const mayBeReplacement = (line: string): boolean => /^\s*\{\s*(?:$|"(?:replace|with|except)"\s*:)/.test(line)

const keys = new Set(["replace", "with", "except"])

/** Another object may have such a key as well, as a manifest does: without a text to replace it is none of ours. */
const isMeant = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  "replace" in value &&
  typeof value.replace === "string" &&
  ("with" in value || Object.keys(value).every((key) => keys.has(key)))

const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** One value, a list of values, or a value on each line. */
const valuesOf = (text: string): ReadonlyArray<unknown> | undefined => {
  const whole = parse(text)
  if (Result.isSuccess(whole)) return Array.isArray(whole.success) ? whole.success : [whole.success]
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const values = lines.map(parse)
  return values.every(Result.isSuccess) ? values.map(({ success }) => success) : undefined
}

const readOne = (value: Readonly<Record<string, unknown>>): Result.Result<Replacement, string> => {
  const other = Object.keys(value).find((key) => !keys.has(key))
  if (other !== undefined)
    return Result.fail(`The replacement has the key ${JSON.stringify(other)}, which says nothing.`)
  const read = decode(value)
  if (Result.isFailure(read)) return Result.fail('The replacement lacks the text for "replace" or "with".')
  const { except = [], replace, with: text } = read.success
  if (replace === text) return Result.fail("The replacement would change nothing.")
  return Result.succeed({ pattern: replace, with: text, except: typeof except === "string" ? [except] : except })
}

/** The replacements of a text; nothing when it is about something else. */
export const readReplacements = (text: string): Result.Result<ReadonlyArray<Replacement>, string> | undefined => {
  if (!text.includes('"replace"')) return undefined
  const values = valuesOf(text)
  if (values === undefined) {
    const isBroken = /^\s*\{\s*"replace"\s*:/.test(text) && /"with"\s*:/.test(text)
    return isBroken ? Result.fail("The replacement is not JSON.") : undefined
  }
  return values.length > 0 && values.every(isMeant) ? Result.all(values.map(readOne)) : undefined
}
