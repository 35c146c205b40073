import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../../src/services/models/ModelSlots.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { UsageMeter } from "../../../src/services/runs/UsageMeter.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const [name, other] = ["qwen3:8b", "tiny:latest"] as const

const ask = (attempt: number, model: string = name) =>
  Effect.flatMap(ModelCaller, (caller) =>
    caller.ask({
      id: { stage: "plan", round: 0, attempt },
      step: 0,
      model,
      prompt: { system: "", user: "word", parts: [] }
    })
  )

/** What is said and counted when a model answers twice and its loading takes so long each time. */
const said = (loadMs: readonly [number, number], between: Effect.Effect<unknown, unknown, ModelCaller> = Effect.void) =>
  Effect.gen(function* () {
    const times = [...loadMs]
    const server = yield* FakeOllama.make(
      ({ model }) => ({ text: "Answer.", loadMs: model === other ? 9 : (times.shift() ?? 0) }),
      { models: [{ name }, { name: other }] }
    )
    const model = layerOllama({ host: server.url, model: name, contextWindow: 8192, maxAnswerTokens: 2048 })
    return yield* Effect.gen(function* () {
      yield* ask(1)
      yield* between
      yield* ask(2)
      const { events } = yield* EventLog
      const total = yield* (yield* UsageMeter).total
      return { total, notes: events().flatMap((event) => (event.type === "message" ? [event.text] : [])) }
    }).pipe(
      Effect.provide(
        ModelCaller.layer.pipe(
          Layer.provide([model, ModelSlots.layer, Activities.layerUnsaved, Journal.layerNone, TokenCalibration.layer]),
          Layer.provideMerge(UsageMeter.layer),
          Layer.provide(RunSettings.layer({ model: name, contextWindow: 8192 })),
          Layer.provideMerge(EventLog.layer)
        )
      )
    )
  })

describe("a model that the server loads", () => {
  nodeTest("for the first time is no news, and its time is counted", function* () {
    const { notes, total } = yield* said([12_000, 3])
    expect(notes).toEqual([])
    expect(total).toMatchObject({ loadMs: 12_003, answerMs: 2000 })
  })

  nodeTest("anew is reported with its time and what another program may have done", () =>
    Effect.map(said([3, 12_000]), ({ notes }) =>
      expect(notes).toEqual([
        "The server loaded qwen3:8b anew, which took 12.0 s, because another program unloaded it, needed its memory, or asked for it with another context window."
      ])
    )
  )

  nodeTest("anew, after the time for which it is kept, is reported with that time", () =>
    Effect.map(said([3, 12_000], TestClock.adjust("31 minutes")), ({ notes }) =>
      expect(notes).toEqual([expect.stringContaining("because it was not used for 31 min, and is kept for 30m.")])
    )
  )

  nodeTest("anew, because the other model of the run was loaded in its place, names that", () =>
    Effect.map(said([3, 12_000], ask(9, other)), ({ notes }) =>
      expect(notes).toEqual([expect.stringContaining("the server does not keep it in memory beside tiny:latest.")])
    )
  )
})
