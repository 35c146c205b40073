/** Calls to a server whose calls share one window: what happens to those that together did not fit it. */
import { expect } from "@effect/vitest"
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
import { liveTest } from "../../support/liveTest.ts"

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

liveTest("repeats calls that did not fit together, and says that nothing is wrong with the server", function* () {
  const { answers, failed, sent } = yield* together(6, 2, (index) => (index < 2 ? { errorEvent } : "Done."))
  expect(answers).toStrictEqual(Array.from({ length: 6 }, () => "Done."))
  expect(failed).toStrictEqual([
    ["Busy", true],
    ["Busy", true]
  ])
  expect(sent).toBe(8)
})

liveTest("lets no call begin beside another once some did not fit together, also those that wait", function* () {
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
  expect([answers.length, failed.length]).toStrictEqual([6, 3])
  expect(beside).toStrictEqual([0, 0, 0, 0, 0, 0])
})

liveTest("sends calls one after another to a server that breaks off an answer for the next call", function* () {
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
  expect(answers).toStrictEqual(Array.from({ length: 6 }, () => "Done."))
  expect([failed, sent]).toStrictEqual([[["Busy", true]], 7])
})

liveTest("takes an answer without a reason for its end from a server that has no other call", function* () {
  const { answers, failed } = yield* together(1, 1, () => ({ text: "Done.", finish: null }))
  expect([answers, failed]).toStrictEqual([["Done."], []])
})
