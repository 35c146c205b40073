/**
 * What this program needs to know of a model provider: one record per provider, in its own folder. `builtInProviders`
 * lists the built-in ones. A plugin may add more.
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
  /** The base address in the provider's form. */
  readonly host: string
  /** Sent as a bearer token, for servers that require one. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** How queries reach a server. Each takes at most `patience`, 10 seconds by default. */
export interface ServerConnection extends ServerAddress {
  /** How long one question may take. */
  readonly patience?: Duration.Input | undefined
}

/** Options of a model. A call may override some of them. */
export interface ModelOptions extends ServerAddress {
  /** The model, by the name that the server has for it. */
  readonly model: string
  /** The window in tokens, one value per model: a server may reload the model whenever it changes. */
  readonly contextWindow: number
  /** The limit of an answer in tokens. Without one, a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** How long the server keeps the model loaded. Longer than a user thinks about an approval. */
  readonly keepAlive?: string | undefined
  /** Whether and how hard the model thinks; absent to leave it to the model. */
  readonly think?: Think | undefined
}

/** What a server says about a model. Absent fields are unknown. */
export interface ModelFacts {
  /** False if the server could not be asked. */
  readonly isKnown: boolean
  /** True if the server says that it lacks the model. */
  readonly isMissing?: boolean
  /** True if the server forwards prompts for the model to another server. */
  readonly isForwarded?: boolean | undefined
  /** What the model can do: call tools, think, see images. */
  readonly abilities: ModelAbilities
  /**
   * The maximum prompt length, and how many calls the server processes at once. Without `slots`, further calls wait
   * there.
   */
  readonly capacity: ModelCapacity
  /** True if the server binds answers to a grammar (GBNF). */
  readonly takesGrammar?: boolean
  /**
   * True if the server refuses a prompt over its window by default. Setting the option anyway would reload a model that
   * another client uses.
   */
  readonly refusesLong?: boolean
  /** `temperature` of the Modelfile. */
  readonly temperature?: number | undefined
  /** Other names that reveal the model's family. */
  readonly family?: string | undefined
}

/** The facts of a model whose server could not be asked. */
export const unknownFacts: ModelFacts = { isKnown: false, abilities: {}, capacity: {} }

/** Queries to a provider's server. */
export interface ModelServer {
  /** The name and version of the server for the user, such as `Ollama 0.12.3`. */
  readonly greeting: Effect.Effect<string, ModelError>
  /** The facts of a model; unknown ones if the server does not answer in time. */
  readonly facts: (model: string) => Effect.Effect<ModelFacts>
  /**
   * Whether a model is in memory now; undefined if unknown. Some servers list a model as soon as loading begins. So
   * true does not mean that it is ready, but false means that it is not.
   */
  readonly isLoaded?: ((model: string) => Effect.Effect<boolean | undefined>) | undefined
  /** The error for a model that the server says it lacks. */
  readonly missing?: (model: string) => Extract<ModelErrorReason, { readonly _tag: "ModelMissing" }>
  /** All installed models, for a provider that knows what each can do. */
  readonly inventory?: Effect.Effect<ReadonlyArray<InstalledModel>, ModelError>
  /** The memory of a loaded model; undefined if unknown. */
  readonly memory?: (model: string) => Effect.Effect<LoadedMemory | undefined>
  /** Downloads a model, if the server can. An interruption keeps the downloaded parts. */
  readonly pull?: (model: string) => Stream.Stream<PullStep, ModelError>
  /** Unloads a model from memory. */
  readonly unload?: (model: string) => Effect.Effect<void, ModelError>
}

/** Where a provider's server is. */
export interface ServerLocation {
  /** The configured base address, or the default. */
  readonly read: (configuration: Configuration) => string
  /** The address as a configuration, so that a resumed run finds the same server. */
  readonly save: (host: string) => Configuration
  /** Why requests can never reach an address, and what to do; undefined if they can. */
  readonly problem: (host: string) => string | undefined
  /** Where the user sets it, such as "OLLAMA_HOST or host". */
  readonly source: string
  /** What the user can do if no server answers. */
  readonly remedy: string
  /** The environment variable with the key. If a plugin declares a secret of this name, that secret is used. */
  readonly keyVariable: string
}

/** A provider of models: a server, or something in this process that answers. */
export interface Provider {
  /** Its model names begin with the id and a colon, unless `owns` decides otherwise. */
  readonly id: string
  /** True for the name of a model of this provider. */
  readonly owns?: (model: string) => boolean
  /** Its name in traces; `id` if absent. */
  readonly traceName?: string
  /** Absent for models without a server. */
  readonly server?: ServerLocation
  /** The key, if it is a secret of a plugin. The program sets it. */
  readonly key?: Redacted.Redacted
  /** Connects to the server. The connections close with the scope. */
  readonly connect?: (address: ServerConnection) => Effect.Effect<ModelServer, never, Scope.Scope>
  /** The model as a service of effect/ai. It never fails while it is built; a missing server shows with the first request. */
  readonly model: (options: ModelOptions) => Layer.Layer<LanguageModel.LanguageModel>
}

/** True when the model belongs to the provider. */
export const owns = ({ id, owns: isOwn }: Provider, model: string): boolean =>
  isOwn?.(model) ?? model.startsWith(`${id}:`)

/** What the calls of a run know about their server. */
interface AnsweringServer extends Pick<ModelServer, "facts" | "isLoaded" | "memory"> {
  /** True for a model on the same server. If absent, model names decide. */
  readonly serves?: ((model: string) => boolean) | undefined
}

/** A reference, because a model may have no server. */
export const CurrentServer = Context.Reference<AnsweringServer>(
  "task-conductor/services/providers/Provider/CurrentServer",
  { defaultValue: () => ({ facts: () => Effect.succeed(unknownFacts) }) }
)

/**
 * All calls share one query for a model's facts, which is cached once the server has answered. `knownFacts` are already
 * known.
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
