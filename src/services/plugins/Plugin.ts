/**
 * What a plugin is: a name and a layer that provides tools. Built-in tools and installed packages have the same shape. A
 * tool declares what it accesses and asks for no permission itself: the gate decides before `execute` is called.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Access, CanonicalAccess } from "../../domain/tools/Access.ts"
import type { ArgumentAliases } from "../../domain/tools/ArgumentAliases.ts"
import type { EffectClass, Risk } from "../../domain/tools/Risk.ts"
import type { ToolErrors } from "../../domain/tools/PreparedCall.ts"
import type { Arguments, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Provider } from "../providers/Provider.ts"
import type { HostServices } from "./HostServices.ts"

/** One tool. `Params` is the decoded value of `parameters`, a struct schema whose descriptions are prompt text. */
export interface Tool<Params> {
  /** Says what the tool does and when to use it; the model reads it. */
  readonly description: string
  readonly parameters: Schema.Codec<Params, unknown>
  /** Other names under which a call may give parameters; the model is not told of them. */
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
  "task-conductor/services/plugins/Plugin/PluginTools"
) {}

export const pluginApiVersion = 1

/** A plugin as its package exports it by default. */
export interface Plugin {
  readonly apiVersion: number
  readonly name: string
  /** The version of the package, where it comes from one. */
  readonly version?: string
  readonly tools: Layer.Layer<PluginTools, ToolFailure, HostServices>
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
