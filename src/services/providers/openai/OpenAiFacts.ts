/**
 * What is known of the models of a server that speaks the API of OpenAI: their windows, if the server says them.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nameOnServer } from "../../../domain/models/ModelName.ts"
import { type Facts, ModelFacts, unknownFacts } from "../ModelFacts.ts"
import { type OfferedModel, OpenAiServer } from "./OpenAiServer.ts"

/** As for the facts of Ollama: the first call says that a server does not answer. */
const factsTimeout = "2 seconds"

/** What such servers sample with when nobody says anything; who started the server may have said something. */
const temperatureOfServer = 0.8

/** The model of that name, or the only one there is: llama.cpp's server answers for its model under any name. */
const findOffered = (models: ReadonlyArray<OfferedModel>, name: string): OfferedModel | undefined =>
  models.find(({ id }) => id === name) ?? (models.length === 1 ? models[0] : undefined)

/** The window cannot be changed by a request, so it is both what is loaded and all that is supported. */
const factsOf = (offered: OfferedModel | undefined): Facts => {
  const { contextWindow } = offered ?? {}
  return {
    isKnown: true,
    thinks: false,
    temperature: temperatureOfServer,
    ...(contextWindow === undefined ? {} : { supportedWindow: contextWindow, loadedWindow: contextWindow })
  }
}

/** Asks the server about a model; a server that does not answer in time leaves everything unknown. */
export const readOpenAiFacts = Effect.fn("readOpenAiFacts")(function* (model: string) {
  const { models } = yield* OpenAiServer
  const answered = yield* Effect.result(Effect.timeout(models, factsTimeout))
  return answered._tag === "Failure" ? unknownFacts : factsOf(findOffered(answered.success, nameOnServer(model)))
})

/** Facts are remembered once the server has answered; those in `asked` are known already, by the name of the model. */
export const layerOpenAiFacts = (asked: ReadonlyMap<string, Facts> = new Map()) =>
  Layer.effect(
    ModelFacts,
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const known = new Map(asked)
      return (model: string) =>
        Effect.suspend(() => {
          const before = known.get(model)
          if (before !== undefined) return Effect.succeed(before)
          return readOpenAiFacts(model).pipe(
            Effect.provideService(OpenAiServer, server),
            Effect.tap((facts) => Effect.sync(() => (facts.isKnown ? known.set(model, facts) : known)))
          )
        })
    })
  )
