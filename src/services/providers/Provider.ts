/**
 * What this program needs to know about a model provider. Each provider is one record in its own folder.
 * `builtInProviders` lists the built-in ones; plugins may add more.
 */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { Think } from "../../domain/models/Generation.ts"
import type { ModelCapacity } from "../../domain/models/ContextWindow.ts"
import type { InstalledModel, ModelAbilities } from "../../domain/models/InstalledModel.ts"
import type { LoadedMemory } from "../../domain/models/ModelMemory.ts"
import type { PullStep } from "../../domain/models/ModelPull.ts"
import type { ModelError, ModelErrorReason } from "../../domain/models/ModelAnswer.ts"

/** Where a server is, and the key for it. */
export interface ServerAddress {
  /** The base address of the server, as the provider writes it. */
  readonly host: string
  /** The key, sent as a bearer token if the server requires one. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** How queries reach a server, and how long they may take. */
export interface ServerConnection extends ServerAddress {
  /** How long one query may take; 10 seconds by default. */
  readonly patience?: Duration.Input | undefined
}

/** Options of a model, which a call may override in part. */
export interface ModelOptions extends ServerAddress {
  /** The model, by its name on the server. */
  readonly model: string
  /**
   * The context window in tokens. It is the same for all calls, because a server may reload the model when the window
   * changes.
   */
  readonly contextWindow: number
  /** The limit of an answer in tokens. Without a limit, a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** How long the server keeps the model loaded: longer than users usually take to approve something. */
  readonly keepAlive?: string | undefined
  /** Whether and how hard the model thinks. The model decides if absent. */
  readonly think?: Think | undefined
}

/** What a server says about a model. Absent fields are unknown. */
export interface ModelFacts {
  /** False if the server gave no answer. */
  readonly isKnown: boolean
  /** True if the server says that it lacks the model. */
  readonly isMissing?: boolean
  /** True if the server forwards prompts for this model to another server. */
  readonly isForwarded?: boolean | undefined
  /** What the model can do: call tools, think, see images. */
  readonly abilities: ModelAbilities
  /**
   * The maximum length of a prompt, and how many calls the server answers at once (`slots`). Further calls wait in the
   * server.
   */
  readonly capacity: ModelCapacity
  /** True if the server can force answers into a grammar (GBNF). */
  readonly takesGrammar?: boolean
  /**
   * True if the server always refuses a prompt larger than its window. Then no request has the option to refuse such a
   * prompt, because this option would reload a model that another client uses.
   */
  readonly refusesLong?: boolean
  /** The `temperature` in the model's Modelfile. */
  readonly temperature?: number | undefined
  /** Other names that show the model's family. */
  readonly family?: string | undefined
}

/** The facts if the server could not be asked. */
export const unknownFacts: ModelFacts = { isKnown: false, abilities: {}, capacity: {} }

/** Queries to a provider's server. */
export interface ModelServer {
  /** The name and version of the server for the user, such as `Ollama 0.12.3`. */
  readonly greeting: Effect.Effect<string, ModelError>
  /** The facts about a model; unknown if the server does not answer in time. */
  readonly facts: (model: string) => Effect.Effect<ModelFacts>
  /**
   * Whether a model is in memory; undefined if unknown. A model in memory may still be loading, because some servers
   * list it as soon as loading begins.
   */
  readonly isLoaded?: ((model: string) => Effect.Effect<boolean | undefined>) | undefined
  /** The error for a model that the server does not have. */
  readonly missing?: (model: string) => Extract<ModelErrorReason, { readonly _tag: "ModelMissing" }>
  /** All installed models. Absent if the provider does not know what they can do. */
  readonly inventory?: Effect.Effect<ReadonlyArray<InstalledModel>, ModelError>
  /** The memory of a loaded model; undefined if unknown. */
  readonly memory?: (model: string) => Effect.Effect<LoadedMemory | undefined>
  /** Downloads a model, if the server can. After an interruption, the server keeps the downloaded parts. */
  readonly pull?: (model: string) => Stream.Stream<PullStep, ModelError>
  /** Unloads a model from memory. */
  readonly unload?: (model: string) => Effect.Effect<void, ModelError>
}

/** How the address of a server is found, saved and checked. */
export interface ServerLocation {
  /** Returns the configured base address, or the default address. */
  readonly read: (configuration: Configuration) => string
  /** The address as a configuration, so that a resumed run finds the same server. */
  readonly save: (host: string) => Configuration
  /** Why requests can never reach an address, and what to do. Undefined if requests may reach it. */
  readonly problem: (host: string) => string | undefined
  /** Where the user sets the address, such as "OLLAMA_HOST or host". */
  readonly source: string
  /** What the user can do if no server answers. */
  readonly remedy: string
  /** The environment variable with the key. A plugin's secret with this name replaces the variable. */
  readonly keyVariable: string
}

/** A provider of models: a server, or code in this process that answers. */
export interface Provider {
  /** The id of the provider. The names of its models begin with the id and a colon, unless `owns` decides otherwise. */
  readonly id: string
  /** True for the name of a model of this provider. */
  readonly owns?: (model: string) => boolean
  /** Its name in traces; `id` by default. */
  readonly traceName?: string
  /** Where the server is. Absent for models without a server. */
  readonly server?: ServerLocation
  /** The key of the server, if a plugin has it as a secret. The program sets this field. */
  readonly key?: Redacted.Redacted
  /** Connects to the server. The connections close with the scope. */
  readonly connect?: (address: ServerConnection) => Effect.Effect<ModelServer, never, Scope.Scope>
  /** The model as a service of effect/ai. Building it never fails: a missing server shows only at the first request. */
  readonly model: (options: ModelOptions) => Layer.Layer<LanguageModel.LanguageModel>
}

/** True when the model belongs to the provider. */
export const owns = ({ id, owns: isOwn }: Provider, model: string): boolean =>
  isOwn?.(model) ?? model.startsWith(`${id}:`)

/** The queries that the calls of a run need. */
interface AnsweringServer extends Pick<ModelServer, "facts" | "isLoaded" | "memory"> {
  /** True for a model on the same server. If the function is absent, the names of the models decide. */
  readonly serves?: ((model: string) => boolean) | undefined
}

/** The server of the current run. Has a default, because a model may have no server. */
export const CurrentServer = Context.Reference<AnsweringServer>(
  "task-conductor/services/providers/Provider/CurrentServer",
  { defaultValue: () => ({ facts: () => Effect.succeed(unknownFacts) }) }
)

/**
 * The server for all calls of a run, which share one query for the facts of a model. The facts are cached once the
 * server has answered. Models in `knownFacts` need no query.
 */
export const layerCurrentServer = <R>(
  connect: Effect.Effect<ModelServer, never, R>,
  {
    knownFacts = new Map(),
    serves
  }: { readonly knownFacts?: ReadonlyMap<string, ModelFacts>; readonly serves?: (model: string) => boolean } = {}
) =>
  Layer.effect(
    CurrentServer,
    Effect.gen(function* () {
      const { facts, isLoaded, memory } = yield* connect
      const ask = (model: string): Effect.Effect<ModelFacts> => {
        const known = knownFacts.get(model)
        return known === undefined ? facts(model) : Effect.succeed(known)
      }
      const remembered = yield* Cache.makeWith(ask, {
        capacity: Infinity,
        timeToLive: (found) => (Exit.isSuccess(found) && found.value.isKnown ? Infinity : 0)
      })
      return { facts: (model: string) => Cache.get(remembered, model), isLoaded, memory, serves }
    })
  )
