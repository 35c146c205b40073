/**
 * Fills calls of tools that are known only by their JSON schema. What a parameter is for is told by its name; a tool is
 * called only when every required parameter finds something in the task. Called by RefinementAnswer and AskAnswer.
 */
import type * as Schema from "effect/Schema"
import type { Arguments } from "../../../domain/tools/ToolCall.ts"
import { type Clues, type PathClue, stemOf } from "./Clues.ts"
import type { OfferedTool, Parameter } from "./PromptText.ts"
import { commandIn } from "./Wish.ts"

/** What a task gives to fill calls with. */
export interface Material {
  /** The words of the task. */
  readonly text: string
  readonly clues: Clues
  /** Files to read, in order. */
  readonly paths: ReadonlyArray<PathClue>
  /** The file to write with its text; absent for a task that only reads. */
  readonly file?: { readonly path: string; readonly content: string }
}

/** A call before it gets its uid. */
export interface FilledCall {
  readonly name: string
  readonly arguments: Arguments
}

type Role = "path" | "term" | "url" | "content" | "command" | "other"

const roleForms: ReadonlyArray<readonly [Role, RegExp]> = [
  ["url", /^(?:url|uri|href|link|address)$/],
  ["path", /^(?:path|file|filename|file_?path|file_?name|source|target|document)$/],
  ["term", /^(?:pattern|query|term|search|needle|keyword|word|regex|phrase)$/],
  ["content", /^(?:content|contents|body|text|data)$/],
  ["command", /^(?:argv|args|command|cmd)$/]
]

const roleOf = (parameter: string): Role =>
  roleForms.find(([, form]) => form.test(parameter.toLowerCase()))?.[0] ?? "other"

/** The kinds of tools, the most definite first: a task that one can do needs none of the next. */
const kinds = ["write", "command", "fetch", "read", "search", "other", "look"] as const
/** Tools that edit are never called: no words of a task tell what to replace. */
type Kind = (typeof kinds)[number] | "edit"

const requiredOf = (tool: OfferedTool): ReadonlyArray<string> => tool.parameters.required ?? []

/** What a tool is for, by the names of what it requires. */
export const kindOf = (tool: OfferedTool): Kind => {
  if (tool.parameters.properties?.["old_text"] !== undefined) return "edit"
  const roles = new Set(requiredOf(tool).map(roleOf))
  if (roles.size === 0) return "look"
  if (roles.has("other")) return "other"
  if (roles.has("content")) return roles.has("path") ? "write" : "other"
  if (roles.has("command")) return "command"
  if (roles.has("url")) return "fetch"
  return roles.has("path") ? "read" : "search"
}

/** What one call is about; a tool that searches is called once for each term, one that reads once for each path. */
interface Subject {
  readonly path: PathClue | undefined
  readonly term: string | undefined
}

const subjectsFor = (kind: Kind, { clues, file, paths }: Material): ReadonlyArray<Subject> => {
  const [term] = clues.terms
  switch (kind) {
    case "write":
      return file === undefined ? [] : [{ path: { path: file.path }, term }]
    case "read":
      return paths.slice(0, 4).map((path) => ({ path, term }))
    case "search": {
      const terms = clues.terms.length > 0 ? clues.terms : clues.paths.map(({ path }) => path)
      return terms.slice(0, 3).map((one) => ({ path: paths[0], term: one }))
    }
    default:
      return [{ path: paths[0], term }]
  }
}

/** Values for parameters whose name says nothing: a word of an enumeration, a number, the next quoted text. */
const otherValue = (parameter: Parameter, { clues, text }: Material, index: number): Schema.Json | undefined => {
  if (parameter.enum !== undefined) {
    const lower = text.toLowerCase()
    const named = parameter.enum.find((one) => typeof one === "string" && lower.includes(one.toLowerCase()))
    return named ?? parameter.enum[0]
  }
  if (parameter.type === "integer" || parameter.type === "number") return clues.numbers[0]
  return parameter.type === "string" ? clues.quoted[index] : undefined
}

const valueFor = (role: Role, parameter: Parameter, material: Material, subject: Subject, others: number) => {
  const { clues, file } = material
  switch (role) {
    case "path":
      return subject.path?.path
    case "term":
      return subject.term
    case "url":
      return clues.urls[0]
    case "content":
      return file?.content ?? clues.quoted[0]
    case "command": {
      const command = commandIn(material.text)
      return parameter.type === "array" ? command?.split(/\s+/) : command
    }
    case "other":
      return otherValue(parameter, material, others)
  }
}

/** Lines around the one that a path names, for tools that take a range. */
const rangeFor = (tool: OfferedTool, line: number | undefined): Arguments => {
  const { end_line: end, start_line: start } = tool.parameters.properties ?? {}
  return line === undefined || start === undefined || end === undefined
    ? {}
    : { start_line: Math.max(1, line - 20), end_line: line + 20 }
}

const fill = (tool: OfferedTool, material: Material, subject: Subject): ReadonlyArray<FilledCall> => {
  const values: Record<string, Schema.Json> = {}
  let others = 0
  for (const name of requiredOf(tool)) {
    const role = roleOf(name)
    const parameter = tool.parameters.properties?.[name] ?? {}
    const value = valueFor(role, parameter, material, subject, role === "other" ? others++ : 0)
    if (value === undefined) return []
    values[name] = value
  }
  const range = kindOf(tool) === "read" ? rangeFor(tool, subject.path?.line) : {}
  return [{ name: tool.name, arguments: { ...values, ...range } }]
}

const stems = (text: string): ReadonlySet<string> => new Set((text.match(/[a-z]{3,}/gi) ?? []).map(stemOf))

/** How many words of the task a tool's name and description share. */
const closeness = (tool: OfferedTool, task: ReadonlySet<string>): number =>
  [...stems(`${tool.name.replaceAll("_", " ")} ${tool.description ?? ""}`)].filter((stem) => task.has(stem)).length

/** The calls of the most definite kind of tool that the task can fill; of several tools the one nearest to its words. */
export const fillCalls = (tools: ReadonlyArray<OfferedTool>, material: Material): ReadonlyArray<FilledCall> => {
  const task = stems(material.text)
  const byKind = kinds.map((kind) =>
    tools
      .filter((tool) => kindOf(tool) === kind)
      .sort((a, b) => closeness(b, task) - closeness(a, task))
      .map((tool) => subjectsFor(kind, material).flatMap((subject) => fill(tool, material, subject)))
      .find((calls) => calls.length > 0)
  )
  return byKind.find((calls) => calls !== undefined) ?? []
}
