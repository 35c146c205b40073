/** A plugin as a value: what it brings. */
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

/** The tools of one plugin, once its layer is built. */
export class PluginTools extends Context.Service<PluginTools, Tools>()(
  "task-conductor/services/tools/Plugin/PluginTools"
) {}

export const pluginApiVersion = 1

/** Where plugins are looked for. */
export interface DiscoveryPlace {
  /** The folder of the project, absolute. */
  readonly project: string
  readonly settings: Settings
  /** The version of the program. */
  readonly version: string
}

/** A plugin that was found. */
export interface DiscoveredPlugin {
  /** The name that its tools have as their origin. */
  readonly origin: string
  /** Who named it. */
  readonly scope: PluginScope
  readonly outcome: Result.Result<Plugin, McpProblem | PluginProblem>
}

/** What was found. */
export interface Discovered {
  /** All, in the order of the configuration; also those that are not used. */
  readonly plugins: ReadonlyArray<DiscoveredPlugin>
  /** What is left out: plugins, entries, single tools. */
  readonly problems: ReadonlyArray<McpProblem | PluginProblem>
  /** What the user should know beside that; a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** What may be used to find and start plugins. */
export type DiscoveryServices =
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Gate
  | Path.Path
  | RunEvents
  | Scope.Scope
  | Workspace

/** Finds plugins; what it starts lives as long as the run. */
export type Discovery = (place: DiscoveryPlace) => Effect.Effect<Discovered, never, DiscoveryServices>

/** What the host notes on a plugin that it finds. */
interface HostNotes {
  /** The version of the package, where it comes from one. */
  readonly version?: string
  /** The name or path by which it was named. */
  readonly named?: string
  /** True for one that a script passes as a value. */
  readonly isValue?: boolean
  /** What a configuration sets for it. */
  readonly configuration?: GivenConfiguration
  /** The secrets that it declares and that exist, or why one does not. */
  readonly secretValues?: ReadonlyMap<string, Result.Result<string, string>>
  /** The folder of its skills, or why they are left out. */
  readonly skillsFolder?: Result.Result<string, string>
}

/** What a plugin brings beside its tools and its configuration; each part but the name is optional. */
interface BroughtParts {
  readonly name: string
  /** The secrets that it needs, by the names of environment variables, and what each is for: `{ GITHUB_TOKEN: "To read issues." }`. */
  readonly secrets?: Readonly<Record<string, SecretNeed>>
  /** A folder of its package with a folder for each skill: `new URL("./skills/", import.meta.url)`. */
  readonly skills?: URL
  /**
   * Commands of the command line by their words, such as "report"; a feature may add one below another, such as "models bench". These and
   * the other parts but tools and skills count when the user names the plugin, not when only a project does.
   */
  readonly commands?: PluginCommands
  /** Hears what happens in runs and conversations. */
  readonly listener?: EventListener
  /** Sends metrics of a process that carries out many runs, such as a worker; of a feature only. */
  readonly sendMetrics?: MetricSender
  /** Finds more plugins when a run begins, such as the servers that a configuration names; of a feature only. */
  readonly discover?: Discovery
  /** Fetches the pages of the web that tools and references name; of a feature only. */
  readonly web?: LayerWeb
  /** Answers the questions of runs and conversations, in the place of a terminal, an editor or a script. */
  readonly approver?: Layer.Layer<Approver>
}

/** What the providers of a plugin are made with. */
export type ProviderSetup<Config = unknown> = Pick<PluginSetup<Config>, "config" | "secret">

/** Providers of models, or a function that makes them of what is set for the plugin. */
export type ProviderSource<Config = unknown> =
  | ReadonlyArray<Provider>
  | ((setup: ProviderSetup<Config>) => ReadonlyArray<Provider>)

/** A plugin as its package exports it by default. */
export interface Plugin extends BroughtParts, HostNotes {
  readonly apiVersion: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each plugin has a configuration of its own
  readonly providers?: ProviderSource<any>
  readonly tools: Layer.Layer<PluginTools, ToolFailure, HostServices>
  readonly config?: SchemaSource
}

type ConfigOf<Source> = [Source] extends [never] ? undefined : ValueOf<Source>

/** What a plugin is made from. */
export interface PluginParts<Source = SchemaSource> extends BroughtParts {
  /** The schema of what a configuration may set for it, an object; it takes nothing when absent. */
  readonly config?: Source
  /** The tools; what opens resources is a function or an effect, and they live as long as the run. */
  readonly tools?: ToolSource<ConfigOf<Source>>
  /** Providers of models; a function gets the configuration and the secrets. */
  readonly providers?: ProviderSource<ConfigOf<Source>>
}

/** Makes a plugin from its parts. */
export const definePlugin = <const Source extends SchemaSource = never>({
  tools = {},
  ...parts
}: PluginParts<Source>): Plugin => ({
  ...parts,
  apiVersion: pluginApiVersion,
  tools: Layer.effect(PluginTools, openTools(tools))
})
