/** What an author writes to define a plugin. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Approver } from "../approvals/Approver.ts"
import type { Provider } from "../providers/Provider.ts"
import type { EventListener, MetricSender } from "./EventListener.ts"
import type { PluginCommands } from "./PluginCommand.ts"
import type { LayerWeb } from "./WebFetch.ts"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { GivenConfiguration, PluginScope } from "../../domain/configuration/Configuration.ts"
import type { Workspace } from "../files/Workspace.ts"
import type { Gate } from "../permissions/Gate.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { Settings } from "../runs/RunSettings.ts"
import type { McpProblem, PluginProblem } from "./PluginProblem.ts"
import type { SchemaSource, ValueOf } from "../../domain/tools/SchemaSource.ts"
import type { HostServices } from "./HostServices.ts"
import type { Tools } from "./Tool.ts"
import type { SecretNeed } from "./PluginSettings.ts"
import { openTools, type PluginSetup, type ToolSource } from "./ToolSource.ts"

export { type Tool, tool, type Tools } from "./Tool.ts"

/** The tools of one plugin, after its layer is built. */
export class PluginTools extends Context.Service<PluginTools, Tools>()(
  "task-conductor/services/tools/Plugin/PluginTools"
) {}

/** The version of the interface for plugins, which `definePlugin` writes into a plugin. Other versions are refused. */
export const pluginApiVersion = 1

/** Where to search for plugins. */
export interface DiscoveryPlace {
  /** The absolute path of the project. */
  readonly project: string
  /** The settings of the run, with those of the user and the project. */
  readonly settings: Settings
  /** The version of the program. */
  readonly version: string
}

/** One plugin that was found: usable, or with a problem. */
export interface DiscoveredPlugin {
  /** The origin of its tools. */
  readonly origin: string
  /** Who named the plugin: a file of the user, a file of the project, or this run only. */
  readonly scope: PluginScope
  /** The plugin, or why it is not used. */
  readonly outcome: Result.Result<Plugin, McpProblem | PluginProblem>
}

/** What a discovery found. */
export interface Discovered {
  /** All plugins in the order of the configuration, even unused ones. */
  readonly plugins: ReadonlyArray<DiscoveredPlugin>
  /** Problems with plugins, with entries of the configuration, and with skipped tools. */
  readonly problems: ReadonlyArray<McpProblem | PluginProblem>
  /** Further notes for the user, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** The services for finding and starting plugins. */
export type DiscoveryServices =
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Gate
  | Path.Path
  | RunEvents
  | Scope.Scope
  | Workspace

/** Finds plugins. Everything that it starts lives as long as the run. */
export type Discovery = (place: DiscoveryPlace) => Effect.Effect<Discovered, never, DiscoveryServices>

/** What the program itself knows about a discovered plugin. */
interface HostNotes {
  /** The version of the plugin's package, if it comes from one. */
  readonly version?: string
  /** The name or path by which the configuration names the plugin. */
  readonly named?: string
  /** True for a plugin that a script passes as a value. */
  readonly isValue?: boolean
  /** The plugin's configuration in the file of the user or the project. */
  readonly configuration?: GivenConfiguration
  /** The declared secrets by name. A failure says why a secret is missing. */
  readonly secretValues?: ReadonlyMap<string, Result.Result<string, string>>
  /** The folder of the plugin's skills, or why the skills are skipped. */
  readonly skillsFolder?: Result.Result<string, string>
}

/** The parts of a plugin besides tools, providers and configuration. Only the name is required. */
interface BroughtParts {
  /** The name, such as "word-count". Messages name it as the origin of the tools. */
  readonly name: string
  /**
   * The needed secrets. The key is the name of an environment variable, the value its purpose: `{ GITHUB_TOKEN: "To
   * read issues." }`.
   */
  readonly secrets?: Readonly<Record<string, SecretNeed>>
  /** A folder with one folder for each skill: `new URL("./skills/", import.meta.url)`. */
  readonly skills?: URL
  /**
   * Commands for the command line by their words, such as "report". A plugin of this package may add a subcommand, such
   * as "models bench".
   *
   * Commands and all parts below apply only if the user names the plugin. A project alone cannot activate them.
   */
  readonly commands?: PluginCommands
  /** Receives the events of runs and conversations. */
  readonly listener?: EventListener
  /** Sends metrics of a process with many runs, such as a worker. Only for plugins of this package. */
  readonly sendMetrics?: MetricSender
  /** Finds more plugins when a run begins, such as configured servers. Only for plugins of this package. */
  readonly discover?: Discovery
  /** Fetches web pages for tools and references. Only for plugins of this package. */
  readonly web?: LayerWeb
  /** Answers questions of runs and conversations in place of the user. */
  readonly approver?: Layer.Layer<Approver>
}

/** What a plugin receives to create its providers. */
export type ProviderSetup<Config = unknown> = Pick<PluginSetup<Config>, "config" | "secret">

/** Model providers, or a function that creates them from configuration and secrets. */
export type ProviderSource<Config = unknown> =
  | ReadonlyArray<Provider>
  | ((setup: ProviderSetup<Config>) => ReadonlyArray<Provider>)

/** The default export of a plugin's package. */
export interface Plugin extends BroughtParts, HostNotes {
  /** The `pluginApiVersion` for which the plugin was written. */
  readonly apiVersion: number
  /** The model providers, or a function that creates them. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each plugin has a configuration of its own
  readonly providers?: ProviderSource<any>
  /** The tools. They are built once for each run, and their resources close with the run. */
  readonly tools: Layer.Layer<PluginTools, ToolFailure, HostServices>
  /** The schema of its configuration. */
  readonly config?: SchemaSource
}

type ConfigOf<Source> = [Source] extends [never] ? undefined : ValueOf<Source>

/** What `definePlugin` accepts. */
export interface PluginParts<Source = SchemaSource> extends BroughtParts {
  /** The schema of the configuration, which is an object. Absent for a plugin without one. */
  readonly config?: Source
  /** The tools. A function or an effect that returns them can open resources, which live as long as the run. */
  readonly tools?: ToolSource<ConfigOf<Source>>
  /** The model providers, or a function that makes them from the configuration and the secrets. */
  readonly providers?: ProviderSource<ConfigOf<Source>>
}

/**
 * Creates the value that the package of a plugin exports by default.
 *
 * @example
 * ```ts
 * import { definePlugin, tool, ToolFailure } from "task-conductor/plugin"
 *
 * const word_count = tool({
 *   description: "Counts the words of a file.",
 *   parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
 *   risk: "safe",
 *   effect: "pure",
 *   access: ({ path }) => [{ _tag: "ReadFile", path }],
 *   execute: async ({ path }, { host }) => {
 *     if (path === "") throw new ToolFailure({ type: "validation_failed", message: "Name a file." })
 *     return (await host.readText(path)).split(/\s+/).length
 *   }
 * })
 * export default definePlugin({ name: "word-count", tools: { word_count } })
 * ```
 */
export const definePlugin = <const Source extends SchemaSource = never>({
  tools = {},
  ...parts
}: PluginParts<Source>): Plugin => ({
  ...parts,
  apiVersion: pluginApiVersion,
  tools: Layer.effect(PluginTools, openTools(tools))
})
