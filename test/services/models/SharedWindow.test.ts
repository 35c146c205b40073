/** Calls to a server whose calls share one window: what happens to those that together did not fit it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../../src/services/models/ModelSlots.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { layerOpenAi } from "../../../src/services/providers/openai/OpenAiModel.ts"
import { connectOpenAi } from "../../../src/services/providers/openai/OpenAiServer.ts"
import { layerCurrentServer } from "../../../src/services/providers/Provider.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { UsageMeter } from "../../../src/services/runs/UsageMeter.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"

const model = "openai:tiny"
const contextWindow = 4096

/** Asks so many tasks at once whose prompts take half of the window; gives what came of them. */
const together = (tasks: number, slots: number, refused: number) =>
  Effect.gen(function* () {
    const error = { code: 500, message: "Context size has been exceeded.", type: "server_error" }
    const server = yield* FakeOpenAi.make((_, index) => (index < refused ? { errorEvent: error } : "Done."), {
      models: [{ id: "tiny", meta: { n_ctx: contextWindow } }],
      paths: { "/props": { status: 200, body: { total_slots: slots } } }
    })
    const layer = ModelCaller.layer.pipe(
      Layer.provide(layerOpenAi({ host: server.url, model, contextWindow, maxAnswerTokens: 1024 })),
      Layer.provide(layerCurrentServer(connectOpenAi({ host: server.url }))),
      Layer.provide([
        ModelSlots.layer,
        Activities.layerUnsaved,
        Journal.layerNone,
        TokenCalibration.layer,
        UsageMeter.layer
      ]),
      Layer.provide(RunSettings.layer({ model, contextWindow, parallel: slots })),
      Layer.provideMerge(EventLog.layer)
    )
    const user = "The text of a task, in words. ".repeat(250)
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
    const { answers, failed, sent } = yield* together(6, 2, 2)
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
