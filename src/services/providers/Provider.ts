/**
 * What this program has to know of a provider of models: one record for each, in its own folder. `builtInProviders` lists
 * those that are built in, and a plugin may bring more.
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

export interface ServerAddress {
  /** Base address, as the provider makes it. */
  readonly host: string
  /** Sent as bearer token, for servers that want one. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** How the questions about a server reach it; each takes `patience` at most, 10 seconds when absent. */
export interface ServerConnection extends ServerAddress {
  readonly patience?: Duration.Input | undefined
}

/** What a model is made with; a call may set some of it itself. */
export interface ModelOptions extends ServerAddress {
  readonly model: string
  /** The window in tokens. One value for each model: a server may load it anew whenever it changes. */
  readonly contextWindow: number
  /** The most tokens of an answer. Without a limit a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** How long the server keeps the model loaded, longer than a person thinks at an approval. */
  readonly keepAlive?: string | undefined
  /** Whether and how hard the model thinks; left to the model when absent. */
  readonly think?: Think | undefined
}

/** What a server knows of a model; absent where it does not say it. */
export interface ModelFacts {
  /** False when the server could not be asked. */
  readonly isKnown: boolean
  /** True when the server says that it does not have the model. */
  readonly isMissing?: boolean
  /** True when the server forwards prompts for the model to another server. */
  readonly isForwarded?: boolean | undefined
  readonly abilities: ModelAbilities
  /** How long prompts may be, and how many calls the server works on; without `slots` further calls wait there. */
  readonly capacity: ModelCapacity
  /** True when the server holds answers to a grammar (GBNF). */
  readonly takesGrammar?: boolean
  /**
   * True when the server refuses a prompt over its window without being asked to. One that is asked all the same loads a model
   * anew that another client uses.
   */
  readonly refusesLong?: boolean
  /** `temperature` of the Modelfile. */
  readonly temperature?: number | undefined
  /** Other names that say of which family the model is. */
  readonly family?: string | undefined
}

export const unknownFacts: ModelFacts = { isKnown: false, abilities: {}, capacity: {} }

/** What can be asked of the server of a provider. */
export interface ModelServer {
  /** What answers there, for a person: `Ollama 0.12.3`. */
  readonly greeting: Effect.Effect<string, ModelError>
  /** The facts of a model; unknown ones when the server does not answer in time. */
  readonly facts: (model: string) => Effect.Effect<ModelFacts>
  /**
   * Whether a model is in memory now; nothing when that is not known. Some servers list a model from the moment at which they
   * begin to load it, so "yes" does not mean that it can be used; "no" means that it cannot.
   */
  readonly isLoaded?: ((model: string) => Effect.Effect<boolean | undefined>) | undefined
  /** The error of a model that the server says that it does not have. */
  readonly missing?: (model: string) => Extract<ModelErrorReason, { readonly _tag: "ModelMissing" }>
  /** Everything that is installed, for a provider that can say what each model can do. */
  readonly inventory?: Effect.Effect<ReadonlyArray<InstalledModel>, ModelError>
  /** What a loaded model takes in memory; nothing when that is not known. */
  readonly memory?: (model: string) => Effect.Effect<LoadedMemory | undefined>
  /** Gets a model, for a server that can. What has come is kept when it is interrupted. */
  readonly pull?: (model: string) => Stream.Stream<PullStep, ModelError>
  /** Takes a model out of memory. */
  readonly unload?: (model: string) => Effect.Effect<void, ModelError>
}

/** Where a provider has its server. */
export interface ServerLocation {
  /** The base address by the configuration, or the default one. */
  readonly read: (configuration: Configuration) => string
  /** The address as a part of the configuration, so that a run which is resumed finds the same server. */
  readonly save: (host: string) => Configuration
  /** Says why requests can never reach an address, with what to do; nothing when they can. */
  readonly problem: (host: string) => string | undefined
  /** Where a person sets it: "OLLAMA_HOST or host". */
  readonly source: string
  /** What a person does when no server answers there. */
  readonly remedy: string
  /** The environment variable that holds the key; of a plugin that declares a secret of this name, that secret. */
  readonly keyVariable: string
}

export interface Provider {
  /** The names of its models begin with it and a colon, unless `owns` says otherwise. */
  readonly id: string
  readonly owns?: (model: string) => boolean
  /** What traces call it; `id` when absent. */
  readonly traceName?: string
  /** Absent for models that need no server. */
  readonly server?: ServerLocation
  /** The key, where it is a secret of a plugin; the host notes it. */
  readonly key?: Redacted.Redacted
  /** Asks the server; the connections close with the scope. */
  readonly connect?: (address: ServerConnection) => Effect.Effect<ModelServer, never, Scope.Scope>
  readonly model: (options: ModelOptions) => Layer.Layer<LanguageModel.LanguageModel>
}

/** True when the model belongs to the provider. */
export const owns = ({ id, owns: isOwn }: Provider, model: string): boolean =>
  isOwn?.(model) ?? model.startsWith(`${id}:`)

/** What the calls of a run know of the server that answers them. */
interface AnsweringServer extends Pick<ModelServer, "facts" | "isLoaded" | "memory"> {
  /** True for a model that the same server has; by the names of models when absent. */
  readonly serves?: ((model: string) => boolean) | undefined
}

/** A reference: a model may have no server. */
export const CurrentServer = Context.Reference<AnsweringServer>(
  "task-conductor/services/providers/Provider/CurrentServer",
  { defaultValue: () => ({ facts: () => Effect.succeed(unknownFacts) }) }
)

/** Facts of a model are asked for once by all calls, and remembered once the server has answered; those in `asked` are known already, by its name. */
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
