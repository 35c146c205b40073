/**
 * What this program makes of a tool that a server describes and of its results: the name `mcp__server__tool`, the risk,
 * the data for the model. Schemas are bounded, since a small text can unfold to millions of parts when its definitions
 * refer to each other.
 */
import * as Predicate from "effect/Predicate"
import type { McpServerEntry } from "../configuration/McpServerEntry.ts"
import { snakeCase, canonicalJson, isNestedTooDeep, maxNesting, textNestedTooDeep } from "../text/Json.ts"
import { type EffectClass, higherRisk, type Risk } from "../tools/Access.ts"
import { ToolFailure } from "../tools/ToolCall.ts"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

const maxNameLength = 100

/** The prefix of the names of a server's tools; absent when its name has no ASCII letter or digit, or too many. */
export const serverPrefix = (server: string): string | undefined => {
  const words = snakeCase(server)
  return words === "" || words.length > maxNameLength / 2 ? undefined : `mcp__${words}__`
}

/** The full name of a tool; absent when it has no ASCII letter or digit, or is too long. */
export const mcpToolName = (prefix: string, tool: string): string | undefined => {
  const words = snakeCase(tool)
  return words === "" || prefix.length + words.length > maxNameLength ? undefined : `${prefix}${words}`
}

/**
 * The risk that the person set for this tool, else that of the server, `medium` when absent. A server that calls its tool
 * destructive raises the latter; nothing that a server says lowers it.
 */
export const mcpToolRisk = (
  { risk = "medium", tools }: Pick<McpServerEntry, "risk" | "tools">,
  tool: { readonly name: string; readonly isDestructive: boolean }
): Risk => tools?.[tool.name]?.risk ?? (tool.isDestructive ? higherRisk(risk, "high") : risk)

/** What a repeated call does: a second effect, unless the person says otherwise. */
export const mcpToolEffect = ({ tools }: Pick<McpServerEntry, "tools">, name: string): EffectClass =>
  tools?.[name]?.effect ?? "once"

const maxCharacters = 65_536
const maxParts = 10_000
const maxDepth = 64

const definitionOf = (reference: unknown, definitions: unknown): readonly [name: string, definition: unknown] => {
  const name = Predicate.isString(reference) ? reference.replace(/^#\/(?:\$defs|definitions)\//, "") : ""
  return [name, Predicate.isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined]
}

/** Why the schema of a tool is not read, as a sentence; nothing when it is small enough. */
export const schemaExcess = (schema: unknown): string | undefined => {
  if (!Predicate.isObject(schema)) return undefined
  const definitions = { ...Object(schema["definitions"]), ...Object(schema["$defs"]) } as unknown
  let parts = 0
  /** True beyond the limits; a definition that refers to itself is not followed again. */
  const exceeds = (value: unknown, depth: number, within: ReadonlyArray<string>): boolean => {
    parts += 1
    if (parts > maxParts || depth > maxDepth) return true
    if (Array.isArray(value)) return value.some((item) => exceeds(item, depth + 1, within))
    if (!Predicate.isObject(value)) return false
    const [name, definition] = definitionOf(value["$ref"], definitions)
    if (definition !== undefined && !within.includes(name) && exceeds(definition, depth + 1, [...within, name])) {
      return true
    }
    return Object.values(value).some((item) => exceeds(item, depth + 1, within))
  }
  if (exceeds(schema, 0, [])) {
    return `the schema of its parameters unfolds to more than ${maxParts} parts or ${maxDepth} levels.`
  }
  return JSON.stringify(schema).length > maxCharacters
    ? `the schema of its parameters has more than ${maxCharacters} characters.`
    : undefined
}

/** The result of a call, independent of the protocol: its parts as text, and its structured content. */
export interface McpResult {
  readonly text: string
  readonly structured: Schema.Json | undefined
  readonly isError: boolean
}

const maxErrorLength = 2000

/** Servers repeat structured content as text for old clients; the model needs it once. */
const repeats = (text: string, structured: Schema.Json): boolean => {
  if (textNestedTooDeep(text)) return false
  const parsed = Result.try(() => JSON.parse(text) as Schema.Json)
  return Result.isSuccess(parsed) && canonicalJson(parsed.success) === canonicalJson(structured)
}

/** The data of a result. A failure that the server reports becomes a `ToolFailure` with its message. */
export const mcpData = (
  tool: string,
  { isError, structured, text }: McpResult
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
  if (text.trim() === "" || repeats(text, structured)) return Result.succeed(structured)
  return Result.succeed({ text, structured })
}
