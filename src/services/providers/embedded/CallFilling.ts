/**
 * Fills the arguments of tool calls with words of a task. The name and the JSON schema of a parameter tell its purpose;
 * a call is made only when every required parameter has a value.
 */
import type * as Schema from "effect/Schema"
import type { Arguments, ToolCall } from "../../../domain/tools/ToolCall.ts"
import { type JsonSchema, propertiesOf, requiredOf } from "../../../domain/tools/ToolSchema.ts"
import { sharedWords } from "./Clues.ts"
import type { OfferedTool } from "./PromptReading.ts"
import type { Request } from "./Request.ts"

/** What parameters are for by their names. */
const roles = [
  ["content", /^contents?$/i],
  ["command", /^(?:argv|args|command|cmd)$/i],
  ["url", /^(?:url|uri|href|link|address)$/i],
  ["path", /^(?:path|file(?:_?(?:path|name))?|source|target|document)$/i],
  ["term", /^(?:pattern|query|term|search|needle|keyword|word|regex|phrase)$/i]
] as const
type Role = (typeof roles)[number][0] | "other"
const roleOf = (name: string): Role => roles.find(([, names]) => names.test(name))?.[0] ?? "other"

/** The kinds of tools, the most definite first: a task that one can do needs none of the next. */
const kinds = ["content", "command", "url", "path", "term", "other", "look"] as const
type Kind = (typeof kinds)[number]

/** What a tool is for, by what it requires: one that requires nothing looks around. */
export const kindOf = ({ parameters }: OfferedTool): Kind => {
  const required = new Set(requiredOf(parameters).map(roleOf))
  return required.has("other") ? "other" : (roles.find(([role]) => required.has(role))?.[0] ?? "look")
}

/** All values for a parameter, in order; a required choice has one also when the words name none. */
export const valuesFor = (
  role: Role,
  { enum: choices, type }: JsonSchema,
  { command, file, numbers, paths, quoted, terms, text, urls }: Request,
  isRequired = true
): ReadonlyArray<Schema.Json> => {
  const lower = text.toLowerCase()
  const files = paths.map(({ path }) => path)
  // The person quoted these words on purpose, so they count more than the rest of the sentence.
  if (role === "term") return [quoted, terms, files].find((all) => all.length > 0) ?? []
  if (role === "path") return files
  if (role === "url") return urls
  if (role === "content") return file?.content === undefined ? [] : [file.content.replace(/\n?$/, "\n")]
  if (role === "command") return command === undefined ? [] : [type === "array" ? command.split(/\s+/) : command]
  if (type === "boolean") return isRequired ? [!/\b(?:not|no|never|without)\b/.test(lower)] : []
  if (type === "number" || type === "integer") return numbers
  if (!Array.isArray(choices)) return quoted
  const named = choices.filter((one) => lower.includes(String(one).toLowerCase()))
  return isRequired ? [...named, ...choices] : named
}

/** One call for each value of what the tool is for; one that lacks a value is not made. */
const callsOf = ({ name, parameters }: OfferedTool, kind: Kind, asked: Request): ReadonlyArray<ToolCall> => {
  const properties = propertiesOf(parameters)
  const required = requiredOf(parameters)
  const request = kind === "content" ? { ...asked, paths: asked.file === undefined ? [] : [asked.file] } : asked
  const argumentsOf = (index: number): Arguments => {
    const values: Record<string, Schema.Json> = {}
    for (const one of required) {
      const all = valuesFor(roleOf(one), properties.get(one) ?? {}, request)
      const unused = all.find((value) => typeof value !== "string" || !Object.values(values).includes(value))
      const value = kind !== "other" && roleOf(one) === kind ? all[index] : unused
      if (value !== undefined) values[one] = value
    }
    const line = properties.has("start_line") ? request.paths[index]?.line : undefined
    return line === undefined ? values : { ...values, start_line: Math.max(1, line - 20), end_line: line + 20 }
  }
  return (kind === "other" || kind === "look" ? [0] : [0, 1, 2, 3])
    .map((index) => ({ uid: `call-${index + 1}`, name, arguments: argumentsOf(index) }))
    .filter((call) => required.every((one) => one in call.arguments))
}

/** The calls of the most definite tool that the task can fill; of several such tools the one nearest to its words. */
export const fillCalls = (tools: ReadonlyArray<OfferedTool>, request: Request): ReadonlyArray<ToolCall> => {
  const words = request.text.match(/\p{L}{3,}/gu) ?? []
  const calls = tools
    .map((tool) => ({ tool, kind: kindOf(tool), fit: sharedWords(`${tool.name} ${tool.description}`, words) }))
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.fit - a.fit)
    // No words of a task tell what to replace by an edit.
    .filter(({ tool }) => !propertiesOf(tool.parameters).has("old_text"))
    .map(({ kind, tool }) => callsOf(tool, kind, request))
  return calls.find((some) => some.length > 0) ?? []
}
