/**
 * The model that the settings of a run name, and what can be asked of its server. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { answerReserve } from "../domain/models/PromptSize.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"
import { layerCurrentServer, type ModelServer, type Provider } from "../services/providers/Provider.ts"
import { defaultProvider, providerOf } from "../services/providers/providers.ts"
import { providerOfRun, type Setup } from "./setup.ts"

/** A person is waiting, so that a server that hangs is reported soon. */
export const patience = "2 seconds"

/** The address of the server of a setup, with its key. */
const addressOf = ({ apiKey, settings: { host } }: Setup) => ({ host, apiKey })

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

/** What the default server has installed. */
export const installedModels = (setup: Setup) =>
  Effect.map(
    askServer(setup, ({ inventory = Effect.succeed([]) }) => inventory, { provider: defaultProvider }),
    (models = []) => models
  )

/** The model that the settings name, with what its server knows of it. */
export const layerModel = (setup: Setup) => {
  const { configuration, modelFacts, settings } = setup
  const provider = providerOfRun(setup)
  const model = provider.model({
    ...addressOf(setup),
    model: settings.model,
    contextWindow: settings.contextWindow,
    maxAnswerTokens: answerReserve(settings.contextWindow),
    keepAlive: configuration.keepAlive
  })
  if (provider.connect === undefined) return model
  return Layer.merge(
    model,
    layerCurrentServer(provider.connect(addressOf(setup)), {
      asked: modelFacts,
      serves: (name) => providerOf(name, setup.providers) === provider
    })
  )
}

/** Whether the server of a setup lets a model call tools. */
export const layerToolSupport = (setup: Setup, model: string, isNeeded: boolean): Layer.Layer<ToolSupport> => {
  const { connect } = providerOfRun(setup)
  return connect === undefined
    ? ToolSupport.layerAssumed
    : Layer.unwrap(Effect.map(connect(addressOf(setup)), (server) => ToolSupport.layerServer(server, model, isNeeded)))
}
