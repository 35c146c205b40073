/** Calls to a server whose calls share one window: what happens to those that together did not fit it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import { connectOpenAi } from "../../../src/plugins/openai/OpenAiServer.ts"
import { layerCurrentServer } from "../../../src/services/providers/Provider.ts"
import { callerLayer } from "../../support/callerLayer.ts"
import { EventLog } from "../../support/EventLog.ts"
import { type CompletionBody, FakeOpenAi } from "../../support/FakeOpenAi.ts"
import type { OpenAiReply } from "../../support/FakeOpenAiReply.ts"
import type { FakeServerOf } from "../../support/FakeServer.ts"

const model = "openai:tiny"
const contextWindow = 4096

const errorEvent = { code: 500, message: "Context size has been exceeded.", type: "server_error" }

/** Asks so many tasks at once whose prompts take half of the window; gives what came of them. */
const together = (
  tasks: number,
  slots: number,
  reply: (index: number) => OpenAiReply | string,
  watch: (server: FakeServerOf<CompletionBody>) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.gen(function* () {
    const server = yield* FakeOpenAi.make((_, index) => reply(index), {
      models: [{ id: "tiny", meta: { n_ctx: contextWindow } }],
      paths: { "/props": { status: 200, body: { total_slots: slots } } }
    })
    const provider = layerOpenAi({ host: server.url, model, contextWindow, maxAnswerTokens: 1024 })
    const layer = callerLayer(provider, { model, contextWindow, parallel: slots }).pipe(
      Layer.provide(layerCurrentServer(connectOpenAi({ host: server.url })))
    )
    const user = "The text of a task, in words. ".repeat(250)
    yield* Effect.forkChild(watch(server))
    const said = yield* Effect.gen(function* () {
      const caller = yield* ModelCaller
      const answers = yield* Effect.forEach(
        Array.from({ length: tasks }, (_, at) => `Task ${at}`),
        (task) =>
          caller.ask({ id: { stage: "task", round: 1, task, attempt: 1 }, step: 0, prompt: { system: "s", user } }),
        { concurrency: "unbounded" }
      )
      return { answers, events: (yield* EventLog).events() }
    }).pipe(Effect.provide(layer))
    const failed = said.events.flatMap((event) =>
      event.type === "model.failed" ? [[event.reason, event.willRetry]] : []
    )
    return { answers: said.answers.map(({ text }) => text), failed, sent: server.chats.length }
  })

it.live("repeats calls that did not fit together, and says that nothing is wrong with the server", () =>
  Effect.gen(function* () {
    const { answers, failed, sent } = yield* together(6, 2, (index) => (index < 2 ? { errorEvent } : "Done."))
    assert.deepStrictEqual(
      answers,
      Array.from({ length: 6 }, () => "Done.")
    )
    assert.deepStrictEqual(failed, [
      ["Busy", true],
      ["Busy", true]
    ])
    assert.strictEqual(sent, 8)
  }).pipe(Effect.scoped)
)

it.live("lets no further call begin beside another once some did not fit together, also those that wait already", () =>
  Effect.gen(function* () {
    const beside: Array<number> = []
    const { answers, failed } = yield* together(
      6,
      2,
      (index) => (index < 3 ? { hold: "first", errorEvent } : { hold: `${index}`, text: "Done." }),
      (server) =>
        Effect.gen(function* () {
          yield* server.until(({ chats }) => chats.length === 3)
          yield* server.release("first")
          for (let index = 3; index < 9; index += 1) {
            yield* server.until(({ chats }) => chats.length > index)
            yield* Effect.sleep("20 millis")
            beside.push(server.chats.length - index - 1)
            yield* server.release(`${index}`)
          }
        })
    )
    assert.deepStrictEqual([answers.length, failed.length], [6, 3])
    assert.deepStrictEqual(beside, [0, 0, 0, 0, 0, 0])
  }).pipe(Effect.scoped)
)

it.live("sends calls one after another to a server that breaks off an answer for the next call", () =>
  Effect.gen(function* () {
    const cut: OpenAiReply = { hold: "second", text: "Do", finish: null }
    const { answers, failed, sent } = yield* together(
      6,
      2,
      (index) => (index === 0 ? cut : "Done."),
      (server) =>
        Effect.andThen(
          server.until(({ chats }) => chats.length > 1),
          server.release("second")
        )
    )
    assert.deepStrictEqual(
      answers,
      Array.from({ length: 6 }, () => "Done.")
    )
    assert.deepStrictEqual([failed, sent], [[["Busy", true]], 7])
  }).pipe(Effect.scoped)
)

it.live("takes an answer without a reason for its end from a server that has no other call", () =>
  Effect.gen(function* () {
    const { answers, failed } = yield* together(1, 1, () => ({ text: "Done.", finish: null }))
    assert.deepStrictEqual([answers, failed], [["Done."], []])
  }).pipe(Effect.scoped)
)
