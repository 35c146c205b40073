/**
 * Explains why a value does not fit a schema. A user reads the place of each wrong part and the schema library's
 * message. A model also reads what the value is and how to write the right one.
 */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { JsonProblem, LocatedJson } from "./JsonText.ts"

type Path = ReadonlyArray<PropertyKey>

/** A wrong part of a value, with the message of the schema library. */
interface SchemaFault {
  readonly path: Path
  readonly kind: "missing" | "unknown" | "wrong"
  readonly message: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const walk = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<SchemaFault> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return walk(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => walk(inner, path))
    case "AnyOf":
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => walk(inner, path))
  }
  const kind = issue._tag === "MissingKey" ? "missing" : issue._tag === "UnexpectedKey" ? "unknown" : "wrong"
  return format(issue).issues.map(({ message, path: inner = [] }) => ({
    path: [...path, ...inner.map((part) => (typeof part === "object" ? part.key : part))],
    kind,
    message
  }))
}

/** The wrong parts of a value, in the order of decoding. */
export const schemaFaults = ({ issue }: Schema.SchemaError): ReadonlyArray<SchemaFault> => walk(issue, [])

/** A path as text, such as `limits.rounds` or `allow[0]`. */
export const pathText = (path: Path): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("")

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const sentence = (subject: string, message: string): string =>
  ended(message.startsWith("must ") ? `${subject} ${message}` : `${subject}: ${message}`)

const faultText = ({ message, path }: SchemaFault, whole: string): string =>
  path.length === 0 ? sentence(whole, message) : sentence(`"${pathText(path)}"`, message)

/** All wrong parts in one line for a user: `"edits[0].line": Expected number. "path": Missing key.` */
export const schemaErrorText = (error: Schema.SchemaError): string =>
  schemaFaults(error)
    .map((fault) => faultText(fault, "the value"))
    .join(" ")

/**
 * The problems in a user's file, one for each wrong part, in the order of the text. `above` is the path of the value in
 * the file. `unknownKey` returns the message about an unknown key.
 */
export const schemaProblems = (
  error: Schema.SchemaError,
  { placeOf }: LocatedJson,
  unknownKey = (path: Path): string => `unknown key "${pathText(path)}". Remove it, or correct its name.`,
  above: Path = []
): ReadonlyArray<JsonProblem> =>
  schemaFaults(error)
    .map((fault): JsonProblem => {
      const path = [...above, ...fault.path]
      const { column, line } = placeOf(path)
      return {
        line,
        column,
        what: fault.kind === "unknown" ? unknownKey(path) : faultText({ ...fault, path }, "the file")
      }
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)

export interface ModelFault {
  readonly path: Path
  readonly kind: SchemaFault["kind"]
  /** What the value is, such as `a string` or `the number 12`. */
  readonly actual: string
  /** What the value must be, such as `a number, without quotes`. Absent if `message` is set. */
  readonly wanted?: string
  readonly hint?: string
  /** The message that the author of the schema wrote for this problem. If it is present, `wanted` is absent. */
  readonly message?: string
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  unknown: "a value",
  "<filter>": "another value",
  "a valid value": "another value"
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 3 ? words.join(" or ") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : null),
    value
  )

/**
 * Describes a value. Quotes a string only if the schema expects one of a few words, because other strings may be
 * secrets.
 */
const givenText = (value: unknown, isChoice: boolean): string => {
  if (typeof value === "string")
    return value === "" ? "an empty string" : isChoice && value.length <= 40 ? JSON.stringify(value) : "a string"
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array"
  if (typeof value === "number") return `the number ${value}`
  if (typeof value === "object" && value !== null) return "an object"
  return value === undefined ? "nothing" : String(value)
}

const hintFor = (kinds: ReadonlyArray<string>, value: unknown): string | undefined => {
  const isString = typeof value === "string"
  const wantsNumber = kinds.some((kind) => /^(?:number$|an? (?:finite number|integer|value between))/.test(kind))
  if (isString && wantsNumber && value.trim() !== "" && Number.isFinite(Number(value))) return "without quotes"
  if (isString && kinds.includes("boolean") && /^\s*(?:true|false)\s*$/i.test(value)) return "without quotes"
  if (!isString && typeof value !== "object" && kinds.includes("string")) return "in double quotes"
  if (kinds.includes("array") && !Array.isArray(value)) return "in brackets, [ ... ]"
  return kinds.includes("object") ? "in braces, { ... }" : undefined
}

/** All wrong parts of a value, described for a model. `whole` is the value that does not fit the schema. */
export const modelFaults = (error: Schema.SchemaError, whole: unknown): ReadonlyArray<ModelFault> =>
  schemaFaults(error).map(({ kind, message, path }) => {
    const value = valueAt(whole, path)
    const expected = /^Expected (.+)$/s.exec(message)?.[1]
    if (kind !== "wrong") return { path, kind, actual: kind === "missing" ? "nothing" : givenText(value, false) }
    if (expected === undefined) return { path, kind, actual: givenText(value, false), message }
    const kinds = expected.split(" | ")
    const isChoice = kinds.some((one) => one.startsWith('"'))
    const wanted = listed([...new Set(kinds.map((one) => kindNames[one] ?? one))])
    return { path, kind, actual: givenText(value, isChoice), wanted, hint: hintFor(kinds, value) }
  })

/** How a model corrects a part, as a sentence; empty for missing and unknown parts. */
export const remedyOf = ({ hint, message, wanted }: ModelFault): string => {
  if (message !== undefined) return ended(message)
  return wanted === undefined ? "" : `Write ${wanted}${hint === undefined ? "" : `, ${hint}`}.`
}

/** A sentence such as `"limits.rounds" must be a number, but is a string. Write it without quotes.` */
export const modelSentence = (subject: string, { actual, hint, kind, message, wanted }: ModelFault): string => {
  if (kind === "missing") return `${subject} is missing. Add it.`
  if (kind === "unknown") return `${subject} is unknown here. Remove it, or correct its name.`
  if (message !== undefined) return sentence(subject, message)
  return `${subject} must be ${wanted}, but is ${actual}.${hint === undefined ? "" : ` Write it ${hint}.`}`
}

/**
 * All wrong parts in one line for a model: `edits[0].line must be a number, but is a string. path is missing. Add it.`
 */
export const modelText = (error: Schema.SchemaError, value: unknown): string =>
  modelFaults(error, value)
    .map((fault) => (fault.path.length === 0 ? remedyOf(fault) : modelSentence(pathText(fault.path), fault)))
    .join(" ")
