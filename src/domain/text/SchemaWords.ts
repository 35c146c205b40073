/**
 * Says in plain words what a schema has against a value: what is there, what must be there instead, and how to write it.
 * The words of the schema library never reach a person or a model.
 */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** One thing that is wrong with a value. */
export interface SchemaProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly kind: "missing" | "unknown" | "wrong"
  /** What is there: `a text`, `the number 12`. */
  readonly given: string
  /** What must be there: `a whole number`; nothing when `said` is a text of its own. */
  readonly wanted?: string
  /** How it is written: `without quotes`. */
  readonly hint?: string
  /** What the author of the schema says about it, instead of `wanted`. */
  readonly said?: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Words of the schema library, as a person would say them. */
const plainWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  bigint: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  unknown: "a value",
  "<filter>": "another value",
  "a valid value": "another value",
  "an integer": "a whole number",
  "a finite number": "a number",
  "a value with a length of at least 1": "a value that is not empty",
  "a value with at least 1 entry": "an object that is not empty",
  "a string with no leading or trailing whitespace": "a text without blanks at its ends",
  "an array with unique items": "a list in which nothing stands twice"
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 3 ? words.join(" or ") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [/^a value with a length of at least (\d+)$/, "at least $1 characters or elements"],
  [/^a value with a length of at most (\d+)$/, "at most $1 characters or elements"],
  [/^a value with a length (?:of|between) (.+)$/, "a length of $1"],
  [/^a string matching the RegExp (.+)$/, "a text that the pattern $1 matches"],
  [/^a string starting with (.+)$/, "a text that begins with $1"],
  [/^a string ending with (.+)$/, "a text that ends with $1"],
  [/^a string that will be decoded as .+$/, "a text"],
  [/^a string (.+)$/, "a text $1"],
  [/^a value (between .+)$/, "a number $1"],
  [/^a value (greater than .+|less than .+)$/, "a number $1"],
  [/^a value that is a multiple of (.+)$/, "a multiple of $1"]
]

const wordsOf = (expected: string): string => {
  const known = plainWords[expected]
  if (known !== undefined) return known
  const phrase = phrases.find(([pattern]) => pattern.test(expected))
  return phrase === undefined ? expected : expected.replace(...phrase)
}

/** `string | "low" | null` in words. */
const wantedWords = (expected: string): string => listed([...new Set(expected.split(" | ").map(wordsOf))])

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : null),
    value
  )

/** A text is not quoted, since it may be a secret, unless it stands in place of one of a few words. */
const givenWords = (value: unknown, isChoice: boolean): string => {
  if (typeof value === "string")
    return value === "" ? "an empty text" : isChoice && value.length <= 40 ? JSON.stringify(value) : "a text"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  if (typeof value === "number") return `the number ${value}`
  if (typeof value === "object" && value !== null) return "an object"
  return value === undefined
    ? "nothing"
    : typeof value === "boolean" || value === null
      ? String(value)
      : "another value"
}

const hintFor = (expected: string, value: unknown): string | undefined => {
  const kinds = expected.split(" | ")
  const isText = typeof value === "string"
  const wantsNumber = kinds.some(
    (kind) => kind === "number" || /^an? (?:finite number|integer|value between)/.test(kind)
  )
  if (isText && wantsNumber && value.trim() !== "" && Number.isFinite(Number(value))) return "without quotes"
  if (isText && kinds.includes("boolean") && /^\s*(?:true|false)\s*$/i.test(value)) return "without quotes"
  if (!isText && typeof value !== "object" && kinds.includes("string")) return "in double quotes"
  if (kinds.includes("array") && !Array.isArray(value)) return "in brackets, [ ... ]"
  return kinds.includes("object") ? "in braces, { ... }" : undefined
}

const wrong = (path: ReadonlyArray<PropertyKey>, message: string, whole: unknown): SchemaProblem => {
  const value = valueAt(whole, path)
  const expected = /^Expected (.+)$/s.exec(message)?.[1]
  if (expected === undefined) return { path, kind: "wrong", given: givenWords(value, false), said: message }
  const hint = hintFor(expected, value)
  return {
    path,
    kind: "wrong",
    given: givenWords(
      value,
      expected.split(" | ").some((kind) => kind.startsWith('"'))
    ),
    wanted: wantedWords(expected),
    ...(hint === undefined ? {} : { hint })
  }
}

const walk = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  whole: unknown
): ReadonlyArray<SchemaProblem> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...issue.path], whole)
    case "Encoding":
      return walk(issue.issue, path, whole)
    case "Composite":
      return issue.issues.flatMap((inner) => walk(inner, path, whole))
    case "AnyOf":
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => walk(inner, path, whole))
      break
    case "MissingKey":
      return [{ path, kind: "missing", given: "nothing" }]
    case "UnexpectedKey":
      return [{ path, kind: "unknown", given: givenWords(valueAt(whole, path), false) }]
  }
  return format(issue).issues.map(({ message, path: inner = [] }) =>
    wrong([...path, ...inner.map((part) => (typeof part === "object" ? part.key : part))], message, whole)
  )
}

/**
 * Everything that is wrong with a value that could not be decoded, in the order in which it was found. `above` is the path
 * in `value` of the part that was decoded.
 */
export const schemaProblemsOf = (
  { issue }: Schema.SchemaError,
  value: unknown,
  above: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<SchemaProblem> => walk(issue, above, value)

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** What to write instead, as a sentence; nothing when the author of the schema says it. */
export const remedyOf = ({ hint, said, wanted }: SchemaProblem): string => {
  if (said !== undefined || wanted === undefined) return said === undefined ? "" : ended(said)
  return `Write ${wanted}${hint === undefined ? "" : `, ${hint}`}.`
}

/** The problem as a sentence about `subject`: `"limits.rounds" must be a number, but is a text. Write it without quotes.` */
export const problemSentence = (subject: string, { given, hint, kind, said, wanted }: SchemaProblem): string => {
  if (kind === "missing") return `${subject} is missing. Add it.`
  if (kind === "unknown") return `${subject} is unknown here. Remove it, or correct its name.`
  if (said !== undefined) return said.startsWith("must ") ? ended(`${subject} ${said}`) : ended(`${subject}: ${said}`)
  return `${subject} must be ${wanted}, but is ${given}.${hint === undefined ? "" : ` Write it ${hint}.`}`
}
