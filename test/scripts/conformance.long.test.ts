/** The checks of model servers against the stand-ins for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { conformingOllama, conformingOpenAi } from "../support/ConformingModels.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { FakeOpenAi } from "../support/FakeOpenAi.ts"
import { makeRestarting } from "../support/Restarting.ts"
import { window, targetOf, models, rowsOf, named } from "../support/conformanceRows.ts"

describe("the checks of model servers", () => {
  it.live("are all passed by the stand-in for Ollama", () =>
    Effect.gen(function* () {
      const { restart, url } = yield* makeRestarting((leaves) => {
        const script = conformingOllama(leaves)
        return (port) => FakeOllama.make(script, { models, ...(port === undefined ? {} : { port }) })
      })
      const rows = yield* rowsOf({ ...targetOf("ollama", url), restart })
      assert.deepStrictEqual(named(rows, "failed"), [])
      assert.deepStrictEqual(named(rows, "not supported"), ["a call that is a must: the API cannot ask for a call"])
    })
  )

  it.live("are all passed by the stand-in for servers of the OpenAI API, but for what the API has no words for", () =>
    Effect.gen(function* () {
      const listed = models.map(({ name }) => ({ id: name, meta: { n_ctx: window } }))
      const { restart, url } = yield* makeRestarting((leaves) => {
        const script = conformingOpenAi(window, leaves)
        return (port) => FakeOpenAi.make(script, { models: listed, ...(port === undefined ? {} : { port }) })
      })
      const rows = yield* rowsOf({ ...targetOf("openai", url), restart })
      assert.deepStrictEqual(named(rows, "failed"), [])
      assert.deepStrictEqual(named(rows, "not supported"), [
        "version: the API has no such question",
        "capabilities and largest window: the API has no such question",
        "the window of the loaded model: the API has no such question",
        "loading anew with another window: the API has no such question",
        "unloading after its time: the API has no such question",
        "a call that the form of the answer makes: the API has a form or a call, not a form of a call",
        "an answer that fills the window: the window cannot be made small for one call"
      ])
    })
  )
})
