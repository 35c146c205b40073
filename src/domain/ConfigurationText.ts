/**
 * Reads the text of a configuration file and says where and why it cannot be used. Pure; services/ConfigurationFile
 * brings the text.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Configuration, personalKeys, ProjectConfiguration } from "./Configuration.ts"
import { Limits } from "./Limits.ts"
import { type JsonProblem, readJson } from "./JsonText.ts"
import { nearest } from "./Nearest.ts"

/** Whose file it is: what the person wrote may set everything, a project's file may not. */
export type ConfigurationScope = "user" | "project"

const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("")

const unknownKey = (path: ReadonlyArray<PropertyKey>, scope: ConfigurationScope): string => {
  const name = String(path.at(-1))
  if (scope === "project" && path.length === 1 && personalKeys.some((key) => key === name)) {
    const elsewhere = name === "allow" ? " or use --allow" : name === "host" ? " or set OLLAMA_HOST" : ""
    return `"${name}" has no effect in a project's file: a project must not choose it for you. Put it into your user configuration${elsewhere}.`
  }
  const known = Object.keys(path.length > 1 ? Limits.fields : Configuration.fields)
  return `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

const sentence = (message: string): string => {
  const text = message.replace(/^Expected/, "expected")
  return text.endsWith(".") ? text : `${text}.`
}

/** Reads a configuration file; all problems are reported together, in the order of the text. */
export const readConfiguration = (
  text: string,
  scope: ConfigurationScope
): Result.Result<Configuration, ReadonlyArray<JsonProblem>> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail([json.failure])
  const { placeOf, value } = json.success
  const schema: Schema.Codec<Configuration, unknown> = scope === "user" ? Configuration : ProjectConfiguration
  const decoded = Schema.decodeResult(schema)(value, { onExcessProperty: "error", errors: "all" })
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (leaf) => (leaf._tag === "UnexpectedKey" ? "" : SchemaIssue.defaultLeafHook(leaf))
  })
  const problems = format(decoded.failure.issue).issues.map(({ message, path = [] }): JsonProblem => {
    const keys = path.map((part) => (typeof part === "object" ? part.key : part))
    const { column, line } = placeOf(keys)
    return {
      line,
      column,
      what:
        message === ""
          ? unknownKey(keys, scope)
          : `${keys.length === 0 ? "the file" : `"${pathText(keys)}"`}: ${sentence(message)}`
    }
  })
  return Result.fail(problems.sort((a, b) => a.line - b.line || a.column - b.column))
}
