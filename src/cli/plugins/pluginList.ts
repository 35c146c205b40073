/**
 * What `plugins list` shows: every plugin that is built in or named somewhere, MCP servers too, with its tools, or
 * why it is not used.
 */
import * as Result from "effect/Result"
import type { PluginScope } from "../../domain/configuration/PluginEntry.ts"
import type { Risk } from "../../domain/tools/Access.ts"
import { type ToolInfo, builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { originOf } from "../../services/tools/PluginLoader.ts"
import { type KnownServer, mcpOrigin } from "../../services/mcp/McpPlugins.ts"
import type { KnownPlugin } from "../../services/plugins/PluginPackages.ts"
import { PluginProblem } from "../../services/tools/PluginProblem.ts"
import { version } from "../../app/version.ts"

/** One plugin, as `plugins list --json` prints it. */
export interface ListedPlugin {
  /** Its own name; the name in the entry when it could not be imported. */
  readonly name: string
  /** The entry in the configuration; absent for built-in ones and values of a script. */
  readonly named?: string
  readonly version?: string
  readonly origin: PluginScope | typeof builtInOrigin
  /** The module that is imported. */
  readonly path?: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly risk: Risk }>
  /** Why it is not used. */
  readonly problem?: { readonly code: string; readonly message: string }
}

/** What is known of plugins and tools; see `readCatalogue`. */
export interface PluginCatalogue {
  readonly known: ReadonlyArray<KnownPlugin>
  readonly servers: ReadonlyArray<KnownServer>
  readonly tools: ReadonlyArray<ToolInfo>
  readonly problems: ReadonlyArray<PluginProblem | { readonly message: string }>
}

const problemOf = (code: string, message: string) => ({ problem: { code, message } })

/** All plugins in the order in which they are loaded, built-in ones as one. */
export const listPlugins = ({ known, problems, servers, tools }: PluginCatalogue): ReadonlyArray<ListedPlugin> => {
  const toolsOf = (origin: string) =>
    tools.filter((tool) => tool.origin === origin).map(({ name, risk }) => ({ name, risk }))
  const named = known.map(({ entry, file, outcome, version }): ListedPlugin => {
    const plugin = Result.isSuccess(outcome) ? outcome.success : undefined
    const problem = Result.isFailure(outcome)
      ? outcome.failure
      : problems.find((one) => one instanceof PluginProblem && one.plugin === outcome.success.name)
    return {
      name: plugin?.name ?? entry?.text ?? "",
      ...(entry === undefined ? {} : { named: entry.text }),
      ...(version === undefined ? {} : { version }),
      origin: entry?.scope ?? "given",
      ...(file === undefined ? {} : { path: file }),
      tools: plugin === undefined ? [] : toolsOf(originOf(plugin)),
      ...(problem instanceof PluginProblem ? problemOf(problem.reason._tag, problem.message) : {})
    }
  })
  const started = servers.map(({ outcome, server }): ListedPlugin => ({
    name: mcpOrigin(server.name),
    origin: server.scope,
    tools: toolsOf(mcpOrigin(server.name)),
    ...(Result.isFailure(outcome) ? problemOf(outcome.failure._tag, outcome.failure.message) : {})
  }))
  return [{ name: builtInOrigin, version, origin: builtInOrigin, tools: toolsOf(builtInOrigin) }, ...named, ...started]
}

/** What is left out and belongs to no plugin of the list: an entry that cannot be read, a single tool of a server. */
export const unlistedProblems = (catalogue: PluginCatalogue): ReadonlyArray<string> => {
  const listed = new Set(listPlugins(catalogue).map(({ problem }) => problem?.message))
  return catalogue.problems.map(({ message }) => message).filter((message) => !listed.has(message))
}
