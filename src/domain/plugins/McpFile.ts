/**
 * Reads a project's `.mcp.json`: `{ "mcpServers": { NAME: ENTRY } }`. An invalid entry leaves out only that server.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { entryKeys, isPersonalEntryKey, type McpServerEntry, ProjectMcpServerEntry } from "./McpServerEntry.ts"
import { nearest } from "../text/Nearest.ts"
import { pathText, schemaProblems } from "../text/SchemaProblems.ts"

export interface McpFile {
  readonly servers: ReadonlyMap<string, McpServerEntry>
  readonly problems: ReadonlyArray<JsonProblem>
}

const topKeys = ["mcpServers", "$schema"]

const unknownKey = (path: ReadonlyArray<PropertyKey>, known: ReadonlyArray<string>): string => {
  const name = String(path.at(-1))
  return isPersonalEntryKey(name)
    ? `"${pathText(path)}" has no effect in a project's file, because only you decide it. Name the server in your user configuration.`
    : `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

export const readMcpFile = (text: string): McpFile => {
  const servers = new Map<string, McpServerEntry>()
  const json = readJson(text)
  if (Result.isFailure(json)) return { servers, problems: [json.failure] }
  const { placeOf, value } = json.success
  const given = Predicate.isObject(value) && !Array.isArray(value) ? value : undefined
  const entries = given?.["mcpServers"]
  if (given === undefined || !Predicate.isObject(entries) || Array.isArray(entries)) {
    const what = 'the file does not hold an object "mcpServers". Write { "mcpServers": { "NAME": { ... } } }.'
    return { servers, problems: [{ ...placeOf([]), what }] }
  }
  const problems: Array<JsonProblem> = Object.keys(given)
    .filter((name) => !topKeys.includes(name))
    .map((name) => {
      const { column, line } = placeOf([name])
      return { line, column, what: unknownKey([name], topKeys) }
    })
  for (const [name, entry] of Object.entries(entries)) {
    const decoded = Schema.decodeUnknownResult(ProjectMcpServerEntry)(entry, {
      onExcessProperty: "error",
      errors: "all"
    })
    if (Result.isSuccess(decoded)) servers.set(name, decoded.success)
    else {
      const unknown = (path: ReadonlyArray<PropertyKey>) => unknownKey(path, entryKeys("project"))
      problems.push(...schemaProblems(decoded.failure, json.success, unknown, ["mcpServers", name]))
    }
  }
  return { servers, problems }
}
