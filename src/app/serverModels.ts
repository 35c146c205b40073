/**
 * Lists, downloads and unloads models at the server of a setup.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { PullStep } from "../domain/models/ModelPull.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import type { ModelServer, Provider } from "../services/providers/Provider.ts"
import { providerOf } from "./providers.ts"
import {
  addressOf,
  providerOfRun,
  readSetup,
  renameModels,
  serverToChooseFrom,
  type Setup,
  withServerToChooseFrom
} from "./setup.ts"

/** The time limit for a server's answer, short because a user waits. */
export const patience = "2 seconds"

/** Asks the server of the setup or of another provider. Returns undefined if the provider has no server. */
export const askServer = <A, E, R>(
  setup: Setup,
  ask: (server: ModelServer) => Effect.Effect<A, E, R>,
  {
    patience,
    provider = providerOfRun(setup)
  }: { readonly patience?: Duration.Input; readonly provider?: Provider } = {}
): Effect.Effect<A | undefined, E, R> =>
  Effect.scopedWith((scope) =>
    provider.connect === undefined
      ? Effect.undefined
      : provider
          .connect({ ...addressOf(setup), patience })
          .pipe(Effect.provideService(Scope.Scope, scope), Effect.flatMap(ask))
  )

/** The installed models; empty if the server does not list them. */
export const listInstalled = ({ inventory = Effect.succeed([]) }: ModelServer) => inventory

/** The installed models of the server from which the user chooses a model. */
export const installedModels = (setup: Setup) =>
  Effect.map(askServer(setup, listInstalled, { provider: serverToChooseFrom(setup) }), (models = []) => models)

/** Reads the setup, with the server from which the user chooses a model. */
export const readServer = Effect.fnUntraced(function* (flags: Parameters<typeof readSetup>[1]) {
  return yield* withServerToChooseFrom(yield* readSetup(".", flags))
})

/** The models of the server from which the user chooses a model. */
export const listModels = () => Effect.flatMap(readServer({}), installedModels)

/**
 * Calls a function of the model's server. If the server lacks the function, the error names the missing ability
 * (`what`).
 */
const withServerOf = Effect.fnUntraced(function* <A, E, R>(
  model: string,
  what: string,
  use: (server: ModelServer) => Effect.Effect<A, E, R> | undefined
) {
  const read = yield* readSetup(".", { model })
  const provider = providerOf(model, read.models.providers)
  const refused = new ConfigurationError({
    source: "model",
    problems: [{ what: `"${model}" is not a model of an Ollama server, and only such a server ${what}.` }]
  })
  const setup = renameModels(read, new Map(), model)
  const ask = (server: ModelServer): Effect.Effect<{ readonly value: A }, E | ConfigurationError, R> => {
    const work = use(server)
    return work === undefined ? Effect.fail(refused) : Effect.map(work, (value) => ({ value }))
  }
  const done = yield* askServer(setup, ask, { provider })
  return done === undefined ? yield* refused : done.value
})

/** Downloads a model to the server. `listen` receives each step. */
export const pullModel = <E, R>(model: string, listen: (step: PullStep) => Effect.Effect<void, E, R>) =>
  withServerOf(model, "gets models by their names", ({ pull }) =>
    pull === undefined ? undefined : Stream.runForEach(pull(model), listen)
  )

/** Unloads a model. Returns false if it was not loaded. */
export const unloadModel = (model: string) =>
  withServerOf(model, "unloads models", ({ isLoaded, unload }) =>
    unload === undefined
      ? undefined
      : Effect.gen(function* () {
          const wasLoaded = (yield* isLoaded?.(model) ?? Effect.undefined) ?? true
          yield* unload(model)
          return wasLoaded
        })
  )
