/**
 * What a schema says against a JSON text, with the place of every part that is meant. Called by the readers of files that
 * a person writes.
 */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { JsonProblem, LocatedJson } from "./JsonText.ts"

/** `limits.rounds`, `allow[0]` */
export const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("")

const sentence = (message: string): string => {
  const text = message.replace(/^Expected/, "expected")
  return text.endsWith(".") ? text : `${text}.`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (leaf) => (leaf._tag === "UnexpectedKey" ? "" : SchemaIssue.defaultLeafHook(leaf))
})

/**
 * One problem for each thing that is wrong, in the order of the text. `above` is the path of the part that was decoded;
 * `unknownKey` words what is to be said of a key that may not be there.
 */
export const schemaProblems = (
  { issue }: Schema.SchemaError,
  { placeOf }: LocatedJson,
  unknownKey: (path: ReadonlyArray<PropertyKey>) => string,
  above: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<JsonProblem> =>
  format(issue)
    .issues.map(({ message, path = [] }): JsonProblem => {
      const keys = [...above, ...path.map((part) => (typeof part === "object" ? part.key : part))]
      const what = keys.length === 0 ? "the file" : `"${pathText(keys)}"`
      const { column, line } = placeOf(keys)
      return { line, column, what: message === "" ? unknownKey(keys) : `${what}: ${sentence(message)}` }
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
