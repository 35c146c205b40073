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
import type { Commands } from "../commands/Commands.ts"
import type { Workspace } from "../files/Workspace.ts"
import type { Provider } from "../providers/Provider.ts"
import type { Page } from "./WebFetch.ts"
import type * as Schema from "effect/Schema"
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
}

/**
 * Makes a plugin from an effect that yields its tools, from providers of models, or from both. The effect may open
 * resources, they live as long as the run.
 */
export const definePlugin = ({
  name,
  providers,
  tools = Effect.succeed({})
}: {
  readonly name: string
  readonly tools?: Effect.Effect<Tools, ToolFailure, HostServices | Scope.Scope>
  readonly providers?: ReadonlyArray<Provider>
}): Plugin => ({
  apiVersion: pluginApiVersion,
  name,
  ...(providers === undefined ? {} : { providers }),
  tools: Layer.effect(PluginTools, tools)
})
