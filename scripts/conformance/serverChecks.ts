/**
 * Checks of a server's data about itself and its models.
 */
import * as Effect from "effect/Effect"
import { connectOllama, type OllamaServer } from "../../src/services/providers/ollama/OllamaServer.ts"
import { connectOpenAi } from "../../src/plugins/openai/OpenAiServer.ts"
import { ask } from "./Asking.ts"
import { type Check, CheckFailed, notSupported, require, type Target } from "./Check.ts"

const ofOllama = <A, E>(target: Target, use: (server: OllamaServer) => Effect.Effect<A, E>) =>
  target.api === "ollama"
    ? Effect.scoped(Effect.flatMap(connectOllama({ host: target.host }), use))
    : Effect.fail(notSupported("the API has no such question"))

const isNamed = (name: string, model: string): boolean => name === model || name === `${model}:latest`

/** The window of a loaded model. Undefined if it is not loaded. */
const loadedWindow = (target: Target, model = target.model) =>
  ofOllama(target, (server) => Effect.map(server.loaded, (loaded) => loaded.find(({ name }) => isNamed(name, model))))

/** Polls until the model is loaded, or unloaded. */
const untilLoaded = (target: Target, wanted: boolean) =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 50; tries++) {
      const loaded = yield* loadedWindow(target)
      if ((loaded !== undefined) === wanted) return
      yield* Effect.sleep("100 millis")
    }
    return yield* new CheckFailed({ what: wanted ? "the model is not loaded" : "the model stays loaded" })
  })

export const serverChecks: ReadonlyArray<Check> = [
  {
    name: "version",
    check: (target) =>
      Effect.gen(function* () {
        const version = yield* ofOllama(target, (server) => server.version)
        yield* require(version !== "", () => "the version is empty")
        return version
      })
  },
  {
    name: "list of models",
    check: (target) =>
      Effect.gen(function* () {
        const names =
          target.api === "ollama"
            ? yield* ofOllama(target, (server) => Effect.map(server.models, (models) => models.map(({ name }) => name)))
            : yield* Effect.scoped(
                Effect.flatMap(connectOpenAi({ host: target.host }), ({ models }) =>
                  Effect.map(models, (all) => all.map(({ id }) => id))
                )
              )
        yield* require(names.some((name) => isNamed(name, target.model)), () =>
          `${target.model} is not among ${names.join(", ")}`)
        return `${names.length} models`
      })
  },
  {
    name: "capabilities and largest window",
    check: (target) =>
      Effect.gen(function* () {
        const shown = yield* ofOllama(target, (server) => server.capabilities(target.model))
        yield* require(shown.abilities.completion === true, () => "the model has no completion")
        yield* require(shown.capacity.supportedWindow !== undefined, () => "the largest window is not said")
        const able = [
          ...(shown.abilities.tools === true ? ["tools"] : []),
          ...(shown.abilities.thinking === true ? ["thinking"] : [])
        ]
        return `${able.join(", ") || "completion only"}; ${shown.capacity.supportedWindow} tokens`
      })
  },
  {
    name: "a model that is not there",
    check: (target) =>
      Effect.gen(function* () {
        const result = yield* Effect.result(ask(target, { prompt: "Hello", model: "no-such-model" }))
        if (result._tag === "Success") return yield* notSupported("the server answers under any name")
        const { reason } = result.failure
        yield* require(reason._tag === "ModelMissing", () => `${reason._tag}: ${result.failure.message}`)
        return "detail" in reason ? reason.detail : ""
      })
  },
  {
    name: "the window of the loaded model",
    check: (target) =>
      Effect.gen(function* () {
        yield* ofOllama(target, () => Effect.void)
        yield* ask(target, { prompt: "Hello" })
        const loaded = yield* loadedWindow(target)
        yield* require(loaded?.context_length === target.window, () =>
          `asked for ${target.window}, loaded with ${loaded?.context_length}`)
        return `${target.window} tokens`
      })
  },
  {
    name: "loading anew with another window",
    check: (target) =>
      Effect.gen(function* () {
        yield* ofOllama(target, () => Effect.void)
        const window = target.window + 1024
        yield* ask(target, { prompt: "Hello", window })
        const loaded = yield* loadedWindow(target)
        yield* require(loaded?.context_length === window, () => `loaded with ${loaded?.context_length}, not ${window}`)
        return `${window} tokens`
      })
  },
  {
    name: "unloading after its time",
    check: (target) =>
      Effect.gen(function* () {
        yield* ofOllama(target, () => Effect.void)
        yield* ask(target, { prompt: "Hello", keepAlive: "30m" })
        yield* untilLoaded(target, true)
        yield* ask(target, { prompt: "Hello", keepAlive: "0s" })
        yield* untilLoaded(target, false)
        return "loaded with 30m, gone with 0s"
      })
  },
  {
    name: "two models in turn",
    check: (target) =>
      Effect.gen(function* () {
        const other = target.plainModel ?? target.thinkingModel
        if (other === undefined) return yield* notSupported("no second model was named")
        yield* ask(target, { prompt: "Hello" })
        yield* ask(target, { prompt: "Hello", model: other, settings: { maxTokens: 16 } })
        yield* ask(target, { prompt: "Hello" })
        return other
      })
  }
]
