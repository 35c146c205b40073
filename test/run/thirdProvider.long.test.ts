/** A provider that a plugin of the user brings. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { textServer, sandbox, order } from "../support/textServer.ts"

/** The same provider as a module of a plugin. */
const pluginFile = (url: string) => `
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { definePlugin } from "task-conductor/plugin"

const usage = { inputTokens: {}, outputTokens: {} }
const ask = ({ prompt }) =>
  Effect.promise(async () => (await fetch("${url}", { method: "POST", body: JSON.stringify(prompt.content) })).text())
const streamText = (asked) =>
  Stream.unwrap(
    Effect.map(ask(asked), (delta) =>
      Stream.make(
        { type: "text-start", id: "text" },
        { type: "text-delta", id: "text", delta },
        { type: "text-end", id: "text" },
        { type: "finish", reason: "stop", usage: {
          inputTokens: { total: undefined, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: undefined, text: undefined, reasoning: undefined }
        }, response: undefined }
      )
    )
  )
const model = () => Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({ generateText: () => Effect.succeed([]), streamText }))
export default definePlugin({ name: "acme", providers: [{ id: "acme", model }] })
`

describe("a third provider", () => {
  liveTest("answers a run when the user names its plugin, and not when a project does", function* () {
    const { keys, url } = yield* textServer
    const made = yield* sandbox
    made.write("project/acme.mjs", pluginFile(url))
    const named = yield* Effect.promise(() => made.start(["run", "--plugin", "./acme.mjs", ...order]).ended)
    assert.deepStrictEqual([named.code, named.stdout.trim()], [0, "It is noon."], named.stderr)
    const before = keys.length
    made.write("project/task-conductor.json", JSON.stringify({ plugins: ["./acme.mjs"] }))
    const unasked = yield* Effect.promise(
      () => made.start(["run", ...order], { env: { OLLAMA_HOST: "http://127.0.0.1:1" } }).ended
    )
    assert.notStrictEqual(unasked.code, 0)
    assert.strictEqual(keys.length, before)
  })
})
