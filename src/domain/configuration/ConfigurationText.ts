/**
 * Reads the text of a configuration file and says where and why it cannot be used. Pure; services/configuration/ConfigurationFile
 * brings the text.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SandboxSettings } from "../commands/CommandSettings.ts"
import { CommandTool } from "../tools/CommandTool.ts"
import { Configuration, personalKeys, ProjectConfiguration } from "./Configuration.ts"
import { Limits } from "./Limits.ts"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { entryKeys } from "../plugins/McpServerEntry.ts"
import { nearest } from "../text/Nearest.ts"
import { pathText, schemaProblems } from "../text/SchemaProblems.ts"

/** Whose file it is: what the person wrote may set everything, a project's file may not. */
export type ConfigurationScope = "user" | "project"

/** Where else a person says it. */
const elsewhere: Readonly<Record<string, string>> = {
  allow: " or use --allow",
  host: " or set OLLAMA_HOST",
  mcpServers: " or, for servers of the project, into .mcp.json"
}

const knownKeys = (path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  if (path.length === 1) return Object.keys(Configuration.fields)
  if (path[0] === "sandbox") return Object.keys(SandboxSettings.fields)
  if (path[0] === "tools") return Object.keys(CommandTool.fields)
  if (path[0] !== "mcpServers") return Object.keys(Limits.fields)
  return path.length === 3 ? entryKeys("user") : ["risk", "effect"]
}

const unknownKey = (path: ReadonlyArray<PropertyKey>, scope: ConfigurationScope): string => {
  const name = String(path.at(-1))
  if (scope === "project" && path.length === 1 && personalKeys.some((key) => key === name)) {
    return `"${name}" has no effect in a project's file: a project must not choose it for you. Put it into your user configuration${elsewhere[name] ?? ""}.`
  }
  const known = knownKeys(path)
  return `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

/** Reads a configuration file; all problems are reported together, in the order of the text. */
export const readConfiguration = (
  text: string,
  scope: ConfigurationScope
): Result.Result<Configuration, ReadonlyArray<JsonProblem>> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail([json.failure])
  const schema: Schema.Codec<Configuration, unknown> = scope === "user" ? Configuration : ProjectConfiguration
  const decoded = Schema.decodeResult(schema)(json.success.value, { onExcessProperty: "error", errors: "all" })
  return Result.mapError(decoded, (error) => schemaProblems(error, json.success, (path) => unknownKey(path, scope)))
}
