/**
 * Converts a tool of a server, and its results. The tool gets the name `mcp__server__tool` and a risk. The result
 * becomes data for the model.
 */
import * as Predicate from "effect/Predicate"
import { canonicalJson, isNestedTooDeep, maxNesting, snakeCase, textNestedTooDeep } from "../../kit/text.ts"
import { higherRisk, type McpServerEntry } from "../../kit/tools.ts"
import {
  dataText,
  type EffectClass,
  type OutputFile,
  type OutputImage,
  type Risk,
  ToolFailure,
  ToolOutput
} from "../../plugin-kit.ts"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

const maxNameLength = 100

/** The beginning of a server's tool names. Undefined if its name has no ASCII letter or digit, or is too long. */
export const serverPrefix = (server: string): string | undefined => {
  const words = snakeCase(server)
  return words === "" || words.length > maxNameLength / 2 ? undefined : `mcp__${words}__`
}

/** The full name of a tool. Undefined if `tool` has no ASCII letter or digit, or if the full name is too long. */
export const mcpToolName = (prefix: string, tool: string): string | undefined => {
  const words = snakeCase(tool)
  return words === "" || prefix.length + words.length > maxNameLength ? undefined : `${prefix}${words}`
}

/**
 * The risk of a tool: from the user's settings for the tool, else from those for the server, else `medium`. If the
 * settings do not name the tool and the server marks it as destructive, the risk rises. The server can never lower it.
 */
export const mcpToolRisk = (
  { risk = "medium", tools }: Pick<McpServerEntry, "risk" | "tools">,
  tool: { readonly name: string; readonly isDestructive: boolean }
): Risk => tools?.[tool.name]?.risk ?? (tool.isDestructive ? higherRisk(risk, "high") : risk)

/**
 * What happens if a call is made a second time. By default, it takes effect again (`once`); the user's settings can say
 * otherwise.
 */
export const mcpToolEffect = ({ tools }: Pick<McpServerEntry, "tools">, name: string): EffectClass =>
  tools?.[name]?.effect ?? "once"

/** The result of a call, without details of the protocol. */
export interface McpResult {
  readonly images?: ReadonlyArray<OutputImage>
  readonly files?: ReadonlyArray<OutputFile>
  readonly text: string
  /** The text of each part. Absent if `text` is the only part. */
  readonly texts?: ReadonlyArray<string>
  readonly structured: Schema.Json | undefined
  readonly isError: boolean
}

const maxErrorLength = 2000

const parsed = (text: string): Schema.Json | undefined => {
  if (textNestedTooDeep(text)) return undefined
  const result = Result.try(() => JSON.parse(text) as Schema.Json)
  return Result.isSuccess(result) ? result.success : undefined
}

const isSameText = (one: string, other: string): boolean =>
  one.replaceAll("\r\n", "\n").trim() === other.replaceAll("\r\n", "\n").trim()

/** True if the text says the same as this value, as plain text or JSON. */
const isTextOf = (text: string, value: Schema.Json): boolean => {
  if (typeof value === "string" && isSameText(text, value)) return true
  const json = parsed(text)
  return json !== undefined && canonicalJson(json) === canonicalJson(value)
}

/** The text of a text block; other values stay. Some servers copy blocks into the structured content. */
const blockText = (value: Schema.Json): Schema.Json =>
  Predicate.isObject(value) && !Array.isArray(value) && value["type"] === "text" && typeof value["text"] === "string"
    ? value["text"]
    : value

/** True if the texts say the same as this value: all together, or one text for each item. */
const saysValue = (texts: ReadonlyArray<string>, value: Schema.Json): boolean => {
  if (isTextOf(texts.join("\n"), blockText(value))) return true
  if (!Array.isArray(value)) return false
  const items = value as ReadonlyArray<Schema.Json>
  if (items.length === texts.length && items.every((item, at) => isTextOf(texts[at] ?? "", blockText(item))))
    return true
  const lines = items.map((item) => blockText(item))
  return lines.every((line) => typeof line === "string") && isSameText(texts.join("\n"), lines.join("\n"))
}

/** The only value of an object. Many servers put their data under one key, such as `content` or `result`. */
const onlyValue = (structured: Schema.Json): Schema.Json | undefined => {
  if (!Predicate.isObject(structured) || Array.isArray(structured)) return undefined
  const values = Object.values(structured) as ReadonlyArray<Schema.Json>
  return values.length === 1 ? values[0] : undefined
}

/** The data for the model: the text and the structured content. If both say the same, only one of them. */
const dataOf = (texts: ReadonlyArray<string>, structured: Schema.Json): Schema.Json => {
  const text = texts.join("\n")
  const inner = onlyValue(structured)
  if (text.trim() === "" || saysValue(texts, structured)) return structured
  if (inner !== undefined && saysValue(texts, inner)) return typeof inner === "string" ? text : structured
  const holdsJson = [0, 2, 4].some((indent) => {
    const json = JSON.stringify(structured, null, indent)
    return json.length > 2 && text.includes(json)
  })
  return holdsJson ? text : { text, structured }
}

/** The data of a result, with its images and files. Fails with `ToolFailure` if the tool reports an error. */
export const mcpData = (tool: string, result: McpResult): Result.Result<Schema.Json | ToolOutput, ToolFailure> => {
  const { files = [], images = [] } = result
  if (files.length + images.length === 0) return mcpJson(tool, result)
  return Result.map(mcpJson(tool, result), (data) => new ToolOutput({ text: dataText(data), images, files }))
}

const mcpJson = (
  tool: string,
  { isError, structured, text, texts = [text] }: McpResult
): Result.Result<Schema.Json, ToolFailure> => {
  if (isError) {
    const reason = text.trim() === "" ? "it gave no reason." : text.trim().slice(0, maxErrorLength)
    return Result.fail(new ToolFailure({ type: "internal_error", message: `The tool ${tool} failed: ${reason}` }))
  }
  if (structured === undefined) return Result.succeed(text)
  if (isNestedTooDeep(structured)) {
    const message = `The tool ${tool} gave a result that is nested more than ${maxNesting} levels deep; all of it was left out.`
    return Result.fail(new ToolFailure({ type: "output_limit", message }))
  }
  return Result.succeed(dataOf(texts, structured))
}
