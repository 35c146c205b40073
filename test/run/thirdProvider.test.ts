/**
 * One more provider of models: a record in the list of providers, or in a plugin of the user, is all that a run needs.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { run } from "../../src/index.ts"
import { definePlugin } from "../../src/plugin-kit.ts"
import { builtInProviders } from "../../src/app/providers.ts"
import type { Provider } from "../../src/services/providers/Provider.ts"
import { liveTest } from "../support/liveTest.ts"
import { textServer, sandbox, order } from "../support/textServer.ts"

const usage = {
  inputTokens: { total: undefined, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined }
}

const connect: Provider["connect"] = ({ host }) =>
  Effect.succeed({
    greeting: Effect.succeed(`Acme at ${host}`),
    facts: () => Effect.succeed({ isKnown: true, abilities: {}, capacity: { supportedWindow: 16_384 } })
  })

/** The record of the provider, whose models are `acme:NAME`. */
const acme = (url: string): Provider => {
  return {
    id: "acme",
    server: {
      read: () => url,
      save: () => ({}),
      problem: () => undefined,
      source: "ACME_URL",
      remedy: "Start it.",
      keyVariable: "ACME_KEY"
    },
    connect,
    model: ({ host, model }) => {
      const unreachable = (cause: unknown) => {
        const request = { method: "POST", url: host, description: String(cause) } as const
        const reason = new AiError.NetworkError({ reason: "TransportError", ...request })
        return AiError.make({ module: "Acme", method: "streamText", reason })
      }
      const ask = ({ prompt }: LanguageModel.ProviderOptions) =>
        Effect.tryPromise({
          try: async () => {
            const headers = { authorization: `Key for ${model}` }
            return (await fetch(host, { method: "POST", headers, body: JSON.stringify(prompt.content) })).text()
          },
          catch: unreachable
        })
      const finish = { type: "finish" as const, reason: "stop" as const, usage, response: undefined }
      return Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: (asked) => Effect.map(ask(asked), (text) => [{ type: "text", text }, finish]),
          streamText: (asked) =>
            Stream.unwrap(
              Effect.map(ask(asked), (delta) =>
                Stream.make(
                  { type: "text-start", id: "text" } as const,
                  { type: "text-delta", id: "text", delta } as const,
                  { type: "text-end", id: "text" } as const,
                  finish
                )
              )
            )
        })
      )
    }
  }
}

describe("a third provider", () => {
  liveTest("answers a run when it is in the list of providers", function* () {
    const { keys, url } = yield* textServer
    const { run: start } = yield* sandbox
    const list = builtInProviders as Array<Provider>
    yield* Effect.acquireRelease(
      Effect.sync(() => list.unshift(acme(url))),
      () => Effect.sync(() => list.shift())
    )
    const { code, stderr, stdout } = yield* Effect.promise(() => start(["run", ...order]))
    assert.deepStrictEqual([code, stdout.trim()], [0, "It is noon."], stderr)
    assert.isAbove(keys.length, 3)
    assert.isTrue(keys.every((key) => key === "Key for acme:small"))
    const doctor = yield* Effect.promise(() => start(["doctor", "--model", "acme:small"]))
    assert.include(doctor.stdout, `Acme at ${url}`)
    assert.include(doctor.stdout, "acme:small")
  })

  liveTest("answers a run of the library when a plugin brings it", function* () {
    const { keys, url } = yield* textServer
    const { root } = yield* sandbox
    /* A model is all that a provider has to have. */
    const { id, model } = acme(url)
    const plugin = definePlugin({
      name: "acme",
      providers: [{ id, model: (options) => model({ ...options, host: url }) }]
    })
    const order = { prompt: "What time is it?", project: `${root}/project`, model: "acme:small" }
    const { report } = run({ ...order, plugins: [plugin] })
    const { answer, status } = yield* Effect.promise(() => report)
    assert.deepStrictEqual([status, answer], ["done", "It is noon."])
    assert.isAbove(keys.length, 3)
  })
})
