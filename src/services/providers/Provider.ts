/**
 * What this program needs to know about a model provider. Each provider is one record in its own folder.
 * `builtInProviders` lists the built-in providers. Plugins may add more.
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
  /** The base address of the server, in the form that the provider uses. */
  readonly host: string
  /** The key that is sent as a bearer token, for servers that require one. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** How queries reach a server, and how long they may take. */
export interface ServerConnection extends ServerAddress {
  /** How long one query may take. The default is 10 seconds. */
  readonly patience?: Duration.Input | undefined
}

/** Options of a model. A call may override some of them. */
export interface ModelOptions extends ServerAddress {
  /** The model, by its name on the server. */
  readonly model: string
  /**
   * The context window in tokens. All calls of a model use the same value, because a server may reload the model when
   * it changes.
   */
  readonly contextWindow: number
  /** The limit of an answer in tokens. Without a limit, a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** How long the server keeps the model loaded. This is longer than users usually take to approve something. */
  readonly keepAlive?: string | undefined
  /** Whether and how hard the model thinks. If absent, the model decides. */
  readonly think?: Think | undefined
}

/** What a server says about a model. Absent fields are unknown. */
export interface ModelFacts {
  /** False if the server could not be asked. */
  readonly isKnown: boolean
  /** True if the server says that it lacks the model. */
  readonly isMissing?: boolean
  /** True if this server forwards prompts for the model to another server. */
  readonly isForwarded?: boolean | undefined
  /** What the model can do: call tools, think, see images. */
  readonly abilities: ModelAbilities
  /**
   * The maximum length of a prompt, and the number of calls that the server answers at once (`slots`). Further calls
   * wait in the server.
   */
  readonly capacity: ModelCapacity
  /** True if the server can force answers into a grammar (GBNF). */
  readonly takesGrammar?: boolean
  /**
   * True if the server always refuses a prompt that is larger than its window. For such a server, the option that asks
   * for the refusal is not sent. The option would reload a model that another client uses.
   */
  readonly refusesLong?: boolean
  /** The `temperature` in the model's Modelfile. */
  readonly temperature?: number | undefined
  /** Other names from which the model's family can be recognised. */
  readonly family?: string | undefined
}

/** What is known about a model if its server could not be asked. */
export const unknownFacts: ModelFacts = { isKnown: false, abilities: {}, capacity: {} }

/** Queries to a provider's server. */
export interface ModelServer {
  /** The name and version of the server for the user, such as `Ollama 0.12.3`. */
  readonly greeting: Effect.Effect<string, ModelError>
  /** The facts that the server reports about a model. Unknown if the server does not answer in time. */
  readonly facts: (model: string) => Effect.Effect<ModelFacts>
  /**
   * Whether a model is in memory now; undefined if unknown. Some servers list a model as soon as loading begins. If
   * false, the model is certainly not ready. If true, it may still be loading.
   */
  readonly isLoaded?: ((model: string) => Effect.Effect<boolean | undefined>) | undefined
  /** Returns the error for a model that the server says it does not have. */
  readonly missing?: (model: string) => Extract<ModelErrorReason, { readonly _tag: "ModelMissing" }>
  /** All installed models. Absent unless the provider knows what each model can do. */
  readonly inventory?: Effect.Effect<ReadonlyArray<InstalledModel>, ModelError>
  /** The memory of a loaded model; undefined if unknown. */
  readonly memory?: (model: string) => Effect.Effect<LoadedMemory | undefined>
  /**
   * Downloads a model, if the server supports downloads. After an interruption, the server keeps the downloaded parts.
   */
  readonly pull?: (model: string) => Stream.Stream<PullStep, ModelError>
  /** Unloads a model from memory. */
  readonly unload?: (model: string) => Effect.Effect<void, ModelError>
}

/** How the address of a provider's server is found, saved and checked. */
export interface ServerLocation {
  /** Returns the configured base address, or the default address. */
  readonly read: (configuration: Configuration) => string
  /** Returns the address as a configuration to save. A resumed run then finds the same server. */
  readonly save: (host: string) => Configuration
  /** Says why requests can never reach an address, and what to do. Undefined if they can reach it. */
  readonly problem: (host: string) => string | undefined
  /** Where the user sets the address, such as "OLLAMA_HOST or host". */
  readonly source: string
  /** What the user can do if no server answers. */
  readonly remedy: string
  /**
   * The environment variable that contains the key. If a plugin declares a secret with this name, the secret is used
   * instead.
   */
  readonly keyVariable: string
}

/** A provider of models: a server, or code in this process that answers. */
export interface Provider {
  /** The id of the provider. The names of its models begin with the id and a colon, unless `owns` decides otherwise. */
  readonly id: string
  /** True for the name of a model of this provider. */
  readonly owns?: (model: string) => boolean
  /** Its name in traces. If absent, `id`. */
  readonly traceName?: string
  /** Where the server is. Absent for models without a server. */
  readonly server?: ServerLocation
  /** The key of the server, if it is a secret of a plugin. The program sets this field. */
  readonly key?: Redacted.Redacted
  /** Connects to the server. The connections close with the scope. */
  readonly connect?: (address: ServerConnection) => Effect.Effect<ModelServer, never, Scope.Scope>
  /**
   * The model as a service of effect/ai. Building it never fails: only the first request shows that a server is
   * missing.
   */
  readonly model: (options: ModelOptions) => Layer.Layer<LanguageModel.LanguageModel>
}

/** True when the model belongs to the provider. */
export const owns = ({ id, owns: isOwn }: Provider, model: string): boolean =>
  isOwn?.(model) ?? model.startsWith(`${id}:`)

/** Those queries to the server that the calls of a run need. */
interface AnsweringServer extends Pick<ModelServer, "facts" | "isLoaded" | "memory"> {
  /** True for a model on the same server. Without this function, the names of the models decide. */
  readonly serves?: ((model: string) => boolean) | undefined
}

/** The server of the current run. It is a context reference with a default, because a model may have no server. */
export const CurrentServer = Context.Reference<AnsweringServer>(
  "task-conductor/services/providers/Provider/CurrentServer",
  { defaultValue: () => ({ facts: () => Effect.succeed(unknownFacts) }) }
)

/**
 * The server for all calls of a run. All calls share one query for the facts of a model, and the facts are cached once
 * the server has answered. Models in `knownFacts` need no query.
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
