/**
 * Reads the JSON objects that change whole files:
 * - `{"replace": "limit", "with": "maximum", "except": ["docs/history.md:4"]}` replaces a text in all files.
 * - `{"remove": "old.ts"}` removes a file.
 * - `{"move": "a.ts", "to": "b.ts"}` moves a file.
 */
import * as Result from "effect/Result"
import * as Predicate from "effect/Predicate"

/**
 * A change that one JSON object of an answer requests. Paths are as the model wrote them. `Replace` does not change the
 * places in `except`.
 */
export type ObjectChange =
  | {
      readonly _tag: "Replace"
      readonly pattern: string
      readonly with: string
      readonly except: ReadonlyArray<string>
    }
  | { readonly _tag: "Remove"; readonly path: string }
  | { readonly _tag: "Move"; readonly path: string; readonly to: string }

/** The keys that name the kind of change, with synonyms that models use. */
const verbs = { replace: "Replace", remove: "Remove", delete: "Remove", move: "Move", rename: "Move" } as const

const keysOf = {
  Replace: new Set(["replace", "with", "except"]),
  Remove: new Set(["remove", "delete"]),
  Move: new Set(["move", "rename", "to"])
} as const

const words = Object.keys(verbs) as ReadonlyArray<keyof typeof verbs>
const allKeys = Object.values(keysOf).flatMap((keys) => Array.from(keys))

const opening = new RegExp(`^\\s*\\{\\s*(?:$|"(?:${allKeys.join("|")})"\\s*:)`)
const beginning = new RegExp(`^\\s*\\{\\s*"(?:${words.join("|")})"\\s*:`)
const named = new RegExp(`"(?:${words.join("|")})"\\s*:`)

export const mayBeChangeObject = (line: string): boolean => opening.test(line)

/** True for a line that begins a JSON object for a change, with the verb as the first key. */
export const beginsChangeObject = (line: string): boolean => beginning.test(line)

export const mayHoldChangeObject = (text: string): boolean => named.test(text)

type Fields = Readonly<Record<string, unknown>>

/**
 * The verb of an object, and its fields. Undefined for an object such as a manifest, which may contain a verb as a key
 * by chance. An object counts in two cases:
 * - All its keys belong to its verb, as in `{"move": "a.ts", "to": "b.ts"}`.
 * - It has the keys `replace` and `with`. It may also have unknown keys.
 */
const verbOf = (value: unknown): readonly [key: keyof typeof verbs, value: Fields] | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const fields: Fields = { ...value }
  const key = words.find((one) => typeof fields[one] === "string")
  if (key === undefined) return undefined
  const isOwn = Object.keys(fields).every((one) => keysOf[verbs[key]].has(one as never))
  return isOwn || (key === "replace" && "with" in fields) ? [key, fields] : undefined
}

const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** Reads a text that contains one JSON value, a list of values, or a value on each line. */
const valuesOf = (text: string): ReadonlyArray<unknown> | undefined => {
  const whole = parse(text)
  if (Result.isSuccess(whole)) return Array.isArray(whole.success) ? whole.success : [whole.success]
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const values = lines.map(parse)
  return values.every(Result.isSuccess) ? values.map(({ success }) => success) : undefined
}

const readReplacement = (fields: Fields): Result.Result<ObjectChange, string> => {
  const other = Object.keys(fields).find((key) => !keysOf.Replace.has(key as never))
  if (other !== undefined)
    return Result.fail(`The replacement has the key ${JSON.stringify(other)}, which says nothing.`)
  const { except = [], replace: pattern = "", with: text } = fields
  const places = [except].flat()
  if (!Predicate.isString(pattern) || pattern === "" || !Predicate.isString(text) || !places.every(Predicate.isString))
    return Result.fail('The replacement lacks the text for "replace" or "with".')
  if (pattern === text) return Result.fail("The replacement would change nothing.")
  return Result.succeed({ _tag: "Replace", pattern, with: text, except: places })
}

const readOne = ([key, fields]: readonly [keyof typeof verbs, Fields]): Result.Result<ObjectChange, string> => {
  if (key === "replace") return readReplacement(fields)
  const [path, to] = [fields[key], fields["to"]].map((one) => (typeof one === "string" ? one.trim() : ""))
  if (path === undefined || path === "") return Result.fail(`The path of ${JSON.stringify(key)} is empty.`)
  if (verbs[key] === "Remove") return Result.succeed({ _tag: "Remove", path })
  if (to === undefined || to === "") return Result.fail('The move lacks the new path for "to".')
  return path === to ? Result.fail("The move would change nothing.") : Result.succeed({ _tag: "Move", path, to })
}

/**
 * The changes that a text of JSON objects requests. Undefined if it contains none. Fails with the problem of an object.
 */
export const readChangeObjects = (text: string): Result.Result<ReadonlyArray<ObjectChange>, string> | undefined => {
  if (!mayHoldChangeObject(text)) return undefined
  const values = valuesOf(text)
  if (values === undefined) {
    const isBroken = /^\s*\{\s*"replace"\s*:/.test(text) && /"with"\s*:/.test(text)
    return isBroken ? Result.fail("The replacement is not JSON.") : undefined
  }
  const meant = values.map(verbOf).filter((one) => one !== undefined)
  return values.length > 0 && meant.length === values.length ? Result.all(meant.map(readOne)) : undefined
}
