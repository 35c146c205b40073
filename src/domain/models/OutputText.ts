/**
 * Writes the output of a call for a model, as text instead of JSON. Leaves out fields that are only for the program.
 */
import type * as Schema from "effect/Schema"
import * as Predicate from "effect/Predicate"
import { type CallOutcome, commandEnd, dataText, type ToolResult } from "../tools/ToolCall.ts"

type Fields = { readonly [name: string]: Schema.Json }

export const isFields = (data: Schema.Json): data is Fields => Predicate.isObject(data) && !Array.isArray(data)

const isScalar = (value: Schema.Json): boolean => value === null || typeof value !== "object"

const isLong = (value: Schema.Json): value is string => typeof value === "string" && value.includes("\n")

/**
 * Short fields as lines `name: value`, then the long texts. A single long text gets no name. Nested values stay JSON.
 */
const fieldsText = (fields: Fields): string => {
  const entries = Object.entries(fields)
  const texts = entries.filter(([, value]) => isLong(value))
  if (texts.length === 0 || !entries.every(([, value]) => isScalar(value))) return dataText(fields)
  const short = entries.filter(([, value]) => !isLong(value)).map(([name, value]) => `${name}: ${String(value)}`)
  const long = texts.map(([name, value]) => (texts.length === 1 ? String(value) : `${name}:\n${String(value)}`))
  return [...(short.length === 0 ? [] : [short.join("\n")]), ...long].join("\n\n")
}

/** The output of a command (`output`), and its exit code and other fields (`head`). */
export interface CommandText {
  readonly head: string
  readonly output: string
}

/** The texts of a command's result. Undefined for other calls. */
export const commandText = (result: ToolResult): CommandText | undefined => {
  const end = commandEnd(result)
  if (end === undefined || result.data === null || !isFields(result.data)) return undefined
  const { exit_code, output: _, ...others } = result.data
  const fields = Object.entries(others).map(([name, value]) => {
    const text = Array.isArray(value) ? value.map(String).join(", ") : isScalar(value) ? value : JSON.stringify(value)
    return `${name}: ${String(text)}`
  })
  return {
    head: [...(exit_code === null ? [] : [`exit code ${end.exitCode}`]), ...fields].join("\n"),
    output: end.output
  }
}

/** The text that a model reads: the data of a result, or its error. */
export const resultText = (result: ToolResult): string => {
  if (!result.success) return `ERROR (${result.error_type}): ${result.error_message ?? ""}`
  const command = commandText(result)
  if (command !== undefined)
    return `${command.head}\n\n${command.output === "" ? "(It wrote nothing.)" : command.output}`
  return result.data !== null && isFields(result.data) ? fieldsText(result.data) : dataText(result.data)
}

/** The data of a call as text, or its error. */
export const outcomeText = ({ result }: CallOutcome): string => resultText(result)

/** The diff in a result; undefined if there is none. */
export const diffOf = ({ data }: ToolResult): string | undefined => {
  const diff = data !== null && isFields(data) ? data["diff"] : undefined
  return typeof diff === "string" && diff.startsWith("---") ? diff : undefined
}
