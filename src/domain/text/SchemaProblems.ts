/**
 * What a schema says against a value: with the place of every part that is meant, for files that a person writes, or in
 * one line.
 */
import type * as Schema from "effect/Schema"
import type { JsonProblem, LocatedJson } from "./JsonText.ts"
import { problemSentence, remedyOf, schemaProblemsOf } from "./SchemaWords.ts"

/** `limits.rounds`, `allow[0]` */
export const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("")

/** A key that may not be there. */
const unknownHere = (path: ReadonlyArray<PropertyKey>): string =>
  `unknown key "${pathText(path)}". Remove it, or correct its name.`

/**
 * One problem for each thing that is wrong, in the order of the text. `above` is the path of the part that was decoded;
 * `unknownKey` words what is to be said of a key that may not be there.
 */
export const schemaProblems = (
  error: Schema.SchemaError,
  { placeOf, value }: LocatedJson,
  unknownKey: (path: ReadonlyArray<PropertyKey>) => string = unknownHere,
  above: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<JsonProblem> =>
  schemaProblemsOf(error, value, above)
    .map((problem): JsonProblem => {
      const { kind, path } = problem
      const subject = path.length === 0 ? "the file" : `"${pathText(path)}"`
      const { column, line } = placeOf(path)
      return { line, column, what: kind === "unknown" ? unknownKey(path) : problemSentence(subject, problem) }
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)

/** All problems of a value in one line: `edits[0].line must be a number, but is a text. path is missing. Add it.` */
export const schemaProblemText = (error: Schema.SchemaError, value: unknown): string =>
  schemaProblemsOf(error, value)
    .map((problem) =>
      problem.path.length === 0 ? remedyOf(problem) : problemSentence(pathText(problem.path), problem)
    )
    .join(" ")
