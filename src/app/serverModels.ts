/**
 * Asks the server of a setup: which models it has; to get one, and to take one out of memory.
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

/** A user is waiting, so that a server that hangs is reported soon. */
export const patience = "2 seconds"

/** Asks the server of a setup, or that of another provider at its address; nothing of a provider without a server. */
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

/** What the server of a setup has installed; nothing of one that does not list its models. */
export const listInstalled = ({ inventory = Effect.succeed([]) }: ModelServer) => inventory

/** What the server that a user chooses from has installed. */
export const installedModels = (setup: Setup) =>
  Effect.map(askServer(setup, listInstalled, { provider: serverToChooseFrom(setup) }), (models = []) => models)

/** The setup with the server whose models a person chooses from. */
export const readServer = Effect.fnUntraced(function* (flags: Parameters<typeof readSetup>[1]) {
  return yield* withServerToChooseFrom(yield* readSetup(".", flags))
})

/** Everything that this server has. */
export const listModels = () => Effect.flatMap(readServer({}), installedModels)

/** The server that has a model by this name or would, with what it can do for it. */
const withServerOf = Effect.fnUntraced(function* <A, E, R>(
  model: string,
  what: string,
  use: (server: ModelServer) => Effect.Effect<A, E, R> | undefined
) {
  const found = yield* readSetup(".", { model })
  const provider = providerOf(model, found.models.providers)
  const refused = new ConfigurationError({
    source: "model",
    problems: [{ what: `"${model}" is not a model of an Ollama server, and only such a server ${what}.` }]
  })
  const setup = renameModels(found, new Map(), model)
  const ask = (server: ModelServer): Effect.Effect<{ readonly value: A }, E | ConfigurationError, R> => {
    const work = use(server)
    return work === undefined ? Effect.fail(refused) : Effect.map(work, (value) => ({ value }))
  }
  const done = yield* askServer(setup, ask, { provider })
  return done === undefined ? yield* refused : done.value
})

/** Has the server get a model; `listen` gets each step. */
export const pullModel = <E, R>(model: string, listen: (step: PullStep) => Effect.Effect<void, E, R>) =>
  withServerOf(model, "gets models by their names", ({ pull }) =>
    pull === undefined ? undefined : Stream.runForEach(pull(model), listen)
  )

/** Takes a model out of memory; false when it was not there. */
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
