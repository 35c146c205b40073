/**
 * A plugin as a value: what it brings, and what its tools may use of the host.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ToolFailure, ArgumentAliases, ToolErrors, Arguments } from "../../domain/tools/ToolCall.ts"
import type { Approver } from "../approvals/Approver.ts"
import type { Commands } from "../commands/Commands.ts"
import type { Workspace } from "../files/Workspace.ts"
import type { Provider } from "../providers/Provider.ts"
import type { EventListener } from "./EventListener.ts"
import type { PluginCommands } from "./PluginCommand.ts"
import type { LayerWeb, Page } from "./WebFetch.ts"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { PluginScope } from "../../domain/configuration/Configuration.ts"
import type { Gate } from "../permissions/Gate.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { Settings } from "../runs/RunSettings.ts"
import type { McpProblem, PluginProblem } from "./PluginProblem.ts"
import type { Access, CanonicalAccess, EffectClass, Risk } from "../../domain/tools/Access.ts"

/** One successful read: the canonical path and the whole text of the file. */
export interface FileRead {
  readonly path: string
  readonly text: string
}

/** A listener that falls behind by more reads misses the oldest ones. */
const bufferedReads = 64

/**
 * Informs plugins which files were read: `read_file` announces every successful read, an index or a note-taker listens.
 */
export class FileReads extends Context.Service<
  FileReads,
  {
    /** Publishes the read to all listeners and never waits for them. */
    announce(read: FileRead): Effect.Effect<void>
    /** The reads from now on, until the scope closes. */
    readonly subscribe: Effect.Effect<Stream.Stream<FileRead>, never, Scope.Scope>
  }
>()("task-conductor/services/tools/Plugin/FileReads") {
  static readonly layer = Layer.effect(
    FileReads,
    Effect.gen(function* () {
      const reads = yield* Effect.acquireRelease(PubSub.sliding<FileRead>(bufferedReads), PubSub.shutdown)
      return FileReads.of({
        announce: (read) => Effect.asVoid(PubSub.publish(reads, read)),
        subscribe: Effect.map(PubSub.subscribe(reads), Stream.fromSubscription)
      })
    })
  )
}

/** The pages a tool may fetch: those that it declared and the gate granted for its call. */
export class PageFetch extends Context.Service<
  PageFetch,
  {
    /**
     * The page at a URL that the call was granted. The gate decides about every redirect before it is followed; neither
     * cookies nor credentials are sent.
     */
    get(url: string): Effect.Effect<Page, ToolFailure>
  }
>()("task-conductor/services/tools/Plugin/PageFetch") {}

/** What a tool may use; what changes or leaves the project needs the grant of the call. */
export type HostServices = Commands | FileReads | PageFetch | Workspace

/** One tool. `Params` is the decoded value of `parameters`, a struct schema whose descriptions are prompt text. */
export interface Tool<Params> {
  /** Says what the tool does and when to use it; the model reads it. */
  readonly description: string
  readonly parameters: Schema.Codec<Params, unknown>
  /** Other names under which a call may give parameters; the model is not shown them. */
  readonly aliases?: ArgumentAliases
  readonly risk: Risk
  readonly effect: EffectClass
  /** Example arguments, shown to the model; made from the required parameters when absent. */
  readonly example?: Arguments
  /** When the tool fails with each type, one sentence each; for people, not for the model. */
  readonly errors?: ToolErrors
  /** Identifies the whole definition at its source, such as a server; permissions end when it changes. */
  readonly revision?: string
  /** What a call with these parameters accesses; nothing when absent. */
  readonly access?: (params: Params) => ReadonlyArray<Access>
  /** Does the work on the canonical form of what `access` declared, in the same order. Returns a string or JSON. */
  readonly execute: (
    params: Params,
    granted: ReadonlyArray<CanonicalAccess>
  ) => Effect.Effect<Schema.Json, ToolFailure, HostServices>
}

/** Fixes the type of the parameters for `execute`. */
export const tool = <Params>(definition: Tool<Params>): Tool<Params> => definition

/** Tools by name; names are lower-case ASCII words joined by underscores. */
// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
export type Tools = Readonly<Record<string, Tool<any>>>

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
  readonly found: ReadonlyArray<DiscoveredPlugin>
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

/** A plugin as its package exports it by default. */
export interface Plugin {
  readonly apiVersion: number
  readonly name: string
  /** The version of the package, where it comes from one. */
  readonly version?: string
  readonly tools: Layer.Layer<PluginTools, ToolFailure, HostServices>
  /** True for one that a script passes as a value. */
  readonly isValue?: boolean
  /** Providers of models. They count when the person names the plugin, not when a project does. */
  readonly providers?: ReadonlyArray<Provider>
  /** Commands of the command line by their words, such as "report" or "models bench". */
  readonly commands?: PluginCommands
  /** Hears what happens in runs and conversations. */
  readonly listener?: EventListener
  /** Finds more plugins when a run begins, such as the servers that a configuration names. */
  readonly discover?: Discovery
  /** Fetches the pages of the web that tools and references name. */
  readonly web?: LayerWeb
  /** Answers the questions of runs and conversations, in the place of a terminal, an editor or a script. */
  readonly approver?: Layer.Layer<Approver>
}

/** What a plugin is made from: a name, and what it brings; each part is optional. */
export interface PluginParts extends Omit<Plugin, "apiVersion" | "tools" | "version" | "isValue"> {
  /** Yields the tools. It may open resources, which live as long as the run. */
  readonly tools?: Effect.Effect<Tools, ToolFailure, HostServices | Scope.Scope>
}

/** Makes a plugin from its parts. */
export const definePlugin = ({ tools = Effect.succeed({}), ...parts }: PluginParts): Plugin => ({
  apiVersion: pluginApiVersion,
  ...parts,
  tools: Layer.effect(PluginTools, tools)
})
