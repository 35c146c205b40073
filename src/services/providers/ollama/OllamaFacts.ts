/**
 * Facts about the models of an Ollama server, asked once for each model.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Facts, ModelFacts, unknownFacts } from "../ModelFacts.ts"
import { OllamaServer } from "./OllamaServer.ts"

const present = <A extends object>(given: A): { [Key in keyof A]?: NonNullable<A[Key]> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Key in keyof A]?: NonNullable<A[Key]>
  }

/** How long a run waits for facts before it does without them: a server that hangs is told of by the first call. */
const factsTimeout = "2 seconds"

/** Asks the server about a model; a server that does not answer in time leaves everything unknown. */
export const readFacts = Effect.fn("readFacts")(function* (model: string) {
  const server = yield* OllamaServer
  const answers = Effect.gen(function* () {
    const shown = yield* server.capabilities(model)
    return { shown, loaded: yield* Effect.orElseSucceed(server.loaded, () => []) }
  })
  const answered = yield* Effect.result(Effect.timeout(answers, factsTimeout))
  if (answered._tag === "Failure") {
    const isMissing = answered.failure._tag === "ModelError" && answered.failure.reason._tag === "ModelMissing"
    return isMissing ? { ...unknownFacts, isMissing } : unknownFacts
  }
  const { loaded, shown } = answered.success
  const { contextLength, isForwarded, temperature, thinking, window } = shown
  const facts: Facts = {
    isKnown: true,
    thinks: thinking,
    ...present({
      isForwarded,
      supportedWindow: contextLength,
      window,
      temperature,
      loadedWindow: loaded.find(({ name }) => name === model || name === `${model}:latest`)?.contextWindow
    })
  }
  return facts
})

/** Facts are remembered once the server has answered; those in `asked` are known already, by the name of the model. */
export const layerOllamaFacts = (asked: ReadonlyMap<string, Facts> = new Map()) =>
  Layer.effect(
    ModelFacts,
    Effect.gen(function* () {
      const server = yield* OllamaServer
      const known = new Map(asked)
      return (model: string) =>
        Effect.suspend(() => {
          const before = known.get(model)
          if (before !== undefined) return Effect.succeed(before)
          return readFacts(model).pipe(
            Effect.provideService(OllamaServer, server),
            Effect.tap((facts) => Effect.sync(() => (facts.isKnown ? known.set(model, facts) : known)))
          )
        })
    })
  )
