/**
 * Reads a project's `.mcp.json`: `{ "mcpServers": { NAME: ENTRY } }`. An invalid entry leaves out only that server. Keys
 * that other programs read are ignored with a note; a misspelled key of ours is a mistake.
 */
import { distance } from "fastest-levenshtein"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import {
  entryKeys,
  isPersonalEntryKey,
  type McpServerEntry,
  ProjectMcpServerEntry
} from "../configuration/McpServerEntry.ts"
import { nearest } from "../text/Nearest.ts"
import { pathText, schemaProblems } from "../text/SchemaText.ts"

export interface McpFile {
  readonly servers: ReadonlyMap<string, McpServerEntry>
  readonly problems: ReadonlyArray<JsonProblem>
  /** Keys that were ignored. */
  readonly notes: ReadonlyArray<JsonProblem>
}

const topKeys = new Set(["mcpServers", "$schema"])

const unknownKey = (path: ReadonlyArray<PropertyKey>, known: ReadonlyArray<string>): string => {
  const name = String(path.at(-1))
  return isPersonalEntryKey(name)
    ? `"${pathText(path)}" has no effect in a project's file, because only you decide it. Name the server in your user configuration.`
    : `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

/** True for a key that another program reads: it is not one of ours, nor one of ours misspelled. */
const isForeign = (name: string, value: unknown): boolean => {
  if (isPersonalEntryKey(name)) return name === "tools" && Array.isArray(value)
  return !entryKeys("project").some(
    (one) => distance(one.toLowerCase(), name.toLowerCase()) <= (one.length > 4 ? 2 : 1)
  )
}

/** The entry without the keys of other programs, which are returned beside it. */
const withoutForeign = (entry: unknown) => {
  if (!Predicate.isObject(entry) || Array.isArray(entry)) return { own: entry, foreign: [] }
  const foreign = Object.entries(entry).flatMap(([name, value]) => (isForeign(name, value) ? [name] : []))
  const own = Object.entries(entry).filter(([name]) => !foreign.includes(name))
  return { own: Object.fromEntries(own), foreign }
}

const ignored = (path: ReadonlyArray<string>): string =>
  `"${pathText(path)}" is a key of another program and is ignored.`

export const readMcpFile = (text: string): McpFile => {
  const servers = new Map<string, McpServerEntry>()
  const json = readJson(text)
  if (Result.isFailure(json)) return { servers, problems: [json.failure], notes: [] }
  const { placeOf, value } = json.success
  const given = Predicate.isObject(value) && !Array.isArray(value) ? value : undefined
  const entries = given?.["mcpServers"]
  if (given === undefined || !Predicate.isObject(entries) || Array.isArray(entries)) {
    const what = 'the file does not hold an object "mcpServers". Write { "mcpServers": { "NAME": { ... } } }.'
    return { servers, problems: [{ ...placeOf([]), what }], notes: [] }
  }
  const at = (path: ReadonlyArray<string>, what: string): JsonProblem => {
    const { column, line } = placeOf(path)
    return { line, column, what }
  }
  const problems: Array<JsonProblem> = []
  const notes = Object.keys(given)
    .filter((name) => !topKeys.has(name))
    .map((name) => at([name], ignored([name])))
  for (const [name, entry] of Object.entries(entries)) {
    const { foreign, own } = withoutForeign(entry)
    notes.push(...foreign.map((key) => at(["mcpServers", name, key], ignored(["mcpServers", name, key]))))
    const decoded = Schema.decodeUnknownResult(ProjectMcpServerEntry)(own, {
      onExcessProperty: "error",
      errors: "all"
    })
    if (Result.isSuccess(decoded)) servers.set(name, decoded.success)
    else {
      const unknown = (path: ReadonlyArray<PropertyKey>) => unknownKey(path, entryKeys("project"))
      problems.push(...schemaProblems(decoded.failure, json.success, unknown, ["mcpServers", name]))
    }
  }
  return { servers, problems, notes }
}
