import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { LanguageModel } from "effect/ai/LanguageModel"
import * as TestClock from "effect/testing/TestClock"
import { taskListShape } from "../../../src/domain/documents/AnswerWatch.ts"
import type { ModelError } from "../../../src/domain/models/ModelAnswer.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import type { ModelRequest } from "../../../src/services/models/CallAttempt.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../../src/services/models/ModelSlots.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { UsageMeter } from "../../../src/services/runs/UsageMeter.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama, type FakeServer } from "../../support/FakeOllama.ts"
import type { Reply } from "../../support/FakeOllamaReply.ts"
import { waitFor } from "../../support/waitFor.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { layerTest } from "../../support/layerTest.ts"

const name = "qwen3:8b"
const contextWindow = 8192

const caller = (model: Layer.Layer<LanguageModel>, activities = Activities.layerUnsaved) =>
  ModelCaller.layer.pipe(
    Layer.provide([model, ModelSlots.layer, activities, Journal.layerNone]),
    Layer.provideMerge(Layer.mergeAll(TokenCalibration.layer, UsageMeter.layer)),
    Layer.provide(RunSettings.layer({ model: name, contextWindow })),
    Layer.provideMerge(EventLog.layer)
  )

const ollama = ({ url }: FakeServer) =>
  caller(layerOllama({ host: url, model: name, contextWindow, maxAnswerTokens: 2048 }))

const prompt = (characters: number, start = ""): FilledPrompt => ({
  system: start,
  user: "word ".repeat(Math.ceil(characters / 5)).slice(start.length, characters),
  parts: [{ name: "references", characters }]
})

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  id: { stage: "plan", round: 0, attempt: 1 },
  step: 0,
  prompt: prompt(100),
  ...given
})

const ask = (given?: Partial<ModelRequest>) => Effect.flatMap(ModelCaller, (service) => service.ask(request(given)))

/** Asks a server that gives these replies, one after another. */
const asking = <A, E>(
  replies: ReadonlyArray<Reply | string>,
  use: (server: FakeServer) => Effect.Effect<A, E, ModelCaller | EventLog | TokenCalibration | UsageMeter>
) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make((_, index) => replies[index] ?? replies.at(-1) ?? "")
    return yield* use(server).pipe(Effect.provide(ollama(server)))
  })

/** A test of calls to a server that gives these replies, one after another. */
const askTest = (
  name: string,
  replies: ReadonlyArray<Reply | string>,
  body: (
    server: FakeServer
  ) => Generator<
    Effect.Effect<unknown, unknown, ModelCaller | EventLog | TokenCalibration | UsageMeter>,
    unknown,
    never
  >
) => nodeTest(name, () => asking(replies, (server) => Effect.gen(() => body(server))))

const direct: Activities["Service"] = {
  run: (activity) => activity.execute,
  stageResult: () => Effect.succeedNone,
  runStage: (_stage, execute) => execute,
  record: (_what, look) => look
}

const reasonOf = ({ reason }: ModelError) => reason

const sentence = "I will read the file main.ts again and then decide. "

describe("a prompt with a lighter form", () => {
  nodeTest("is sent in that form only when the window does not hold the whole", function* () {
    const sent: Array<string> = []
    const model = ScriptedModel.layer(({ system }) => {
      sent.push(system)
      return "Answer."
    })
    const lighter = prompt(1000, "light")
    const sizes = [1000, 100_000]
    yield* Effect.forEach(sizes, (size) => ask({ prompt: { ...prompt(size), lighter } })).pipe(
      Effect.provide(caller(model))
    )
    expect(sent).toEqual(["", "light"])
  })

  layerTest(
    caller(ScriptedModel.layer(() => "Answer.")),
    "fails when not even that fits, with the size of that",
    function* () {
      const lighter = prompt(50_000)
      const error = yield* Effect.flip(ask({ prompt: { ...prompt(100_000), lighter } }))
      expect(error.reason).toMatchObject({ _tag: "ContextOverflow", estimated: 14_375 })
    }
  )
})

describe("an unrecoverable answer", () => {
  askTest(
    "is stopped in the middle: the request is closed and nothing is sent again",
    [{ text: sentence.repeat(400), end: false, done: false }],
    function* (server) {
      const error = yield* Effect.flip(ask())
      yield* server.until(() => server.abortedCount() === 1)
      const events = (yield* EventLog).events()
      expect(reasonOf(error)).toMatchObject({
        _tag: "Hopeless",
        kind: "loop",
        detail: `it repeated "${sentence.trim()}" 14 times`
      })
      expect(error.message).toBe(
        `The model's answer was stopped after 771 characters: it repeated "${sentence.trim()}" 14 times.`
      )
      expect(server.chats.length).toBe(1)
      expect(events.map((event) => event.type)).toEqual(["model.started", "model.failed"])
      expect(events[1]).toMatchObject({ reason: "Hopeless", message: error.message, willRetry: false })
      expect((yield* (yield* UsageMeter).total).modelCalls).toBe(1)
    }
  )

  askTest(
    "is stopped while the model only thinks",
    [{ thinking: sentence.repeat(400), end: false, done: false }],
    function* (server) {
      const error = yield* Effect.flip(ask())
      yield* server.until(() => server.abortedCount() === 1)
      expect(reasonOf(error)).toMatchObject({ _tag: "Hopeless", kind: "loop", partial: "" })
    }
  )

  askTest(
    "is not one with the document after some talk",
    [`Sure, here it is.\n\n## Goals / summary\n\n${"Found it. ".repeat(11)}`],
    function* () {
      expect((yield* ask({ shape: taskListShape })).text).toContain("Sure")
    }
  )
})

describe("a listener", () => {
  nodeTest("takes the text as it comes, and begins anew when the answer is sent again", () => {
    const heard: Array<Array<string>> = []
    const listen = () => {
      const deltas: Array<string> = []
      heard.push(deltas)
      return (delta: string) => void deltas.push(delta)
    }
    return asking([{ text: "one two", errorLine: "no memory" }, "three four"], () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const fiber = yield* Effect.forkChild(ask({ listen }))
        yield* waitFor("the first failure", () => log.events().some((event) => event.type === "model.failed"))
        yield* TestClock.adjust("1 second")
        expect((yield* Fiber.join(fiber)).text).toBe("three four")
        expect(heard).toEqual([
          ["one", " two"],
          ["three", " four"]
        ])
      })
    )
  })
})

describe("a prompt", () => {
  askTest("that the window cannot hold is not sent, and the error says what is large", ["never"], function* (server) {
    const error = yield* Effect.flip(ask({ prompt: prompt(22_000) }))
    expect(error.message).toBe(
      "The prompt needs about 6325 tokens, the context window holds 8192. It must hold the answer too. The largest parts are references (5500). Narrow the references or lower referenceBudget, or raise contextWindow to at least 8448."
    )
    expect(server.chats).toEqual([])
  })

  askTest("is estimated by what the server counted before", [{ text: "ok", promptTokens: 2000 }], function* () {
    const calibration = yield* TokenCalibration
    expect(calibration.scale(name)).toEqual({ charactersPerToken: 4, margin: 1.15 })
    yield* ask({ prompt: prompt(10_000) })
    expect(calibration.scale(name)).toEqual({ charactersPerToken: 5, margin: 1.1 })
    expect(calibration.scale("another")).toEqual({ charactersPerToken: 4, margin: 1.15 })
    yield* ask({ prompt: prompt(10_500) })
    const sizes = (yield* EventLog).events().flatMap((event) => (event.type === "model.started" ? event : []))
    expect(sizes.map((event) => event.estimatedTokens)).toEqual([2500, 2100])
  })

  nodeTest("is estimated in the same way when the answers come from the journal", function* () {
    const kept: Array<Schema.Json> = []
    const keeping = Activities.of({
      ...direct,
      run: (activity) =>
        Effect.tap(activity.execute, (value) =>
          Effect.map(Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(activity.success))(value)), (json) =>
            kept.push(json as Schema.Json)
          )
        )
    })
    const knowing = Activities.of({
      ...direct,
      run: (activity) => Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(activity.success))(kept.shift()))
    })
    /* So many more characters a token are believed only because the server counted the whole prompt. */
    const counts = [2500, 1800]
    const learnt = Effect.gen(function* () {
      const calibration = yield* TokenCalibration
      return yield* Effect.forEach(counts, (_, index) =>
        Effect.map(ask({ prompt: prompt(10_000 + 500 * index) }), () => calibration.scale(name))
      )
    })
    const server = yield* FakeOllama.make((_, index) => ({
      text: "ok",
      promptTokens: counts[index] ?? 0,
      cachedTokens: 10
    }))
    const model = layerOllama({ host: server.url, model: name, contextWindow, maxAnswerTokens: 2048 })
    const first = yield* Effect.provide(learnt, caller(model, Layer.succeed(Activities)(keeping)))
    const again = yield* Effect.provide(learnt, caller(model, Layer.succeed(Activities)(knowing)))
    expect(first.map(({ charactersPerToken }) => charactersPerToken)).toEqual([4, 10_500 / 1800])
    expect(again).toEqual(first)
    expect(server.chats.length).toBe(counts.length)
  })

  askTest(
    "of which the server dropped the front is an error, and its answer is not used",
    [{ text: "nonsense", promptTokens: 4098 }],
    function* () {
      const calibration = yield* TokenCalibration
      yield* calibration.record(name, { prompt: "a".repeat(6000), counted: 2000, isWhole: true, window: contextWindow })
      const error = yield* Effect.flip(ask({ prompt: prompt(16_000) }))
      expect(reasonOf(error)).toMatchObject({ _tag: "ContextOverflow", window: 8192, counted: 4098 })
      expect(error.message).toMatch(/^The prompt has about 5334 tokens and the model server read 4098: it dropped/)
      const events = (yield* EventLog).events()
      expect(events.at(-1)).toMatchObject({ type: "model.failed", reason: "ContextOverflow", willRetry: false })
    }
  )

  askTest(
    "whose count may leave out the cache is used, with one warning",
    [{ text: "ok", promptTokens: 700 }],
    function* () {
      yield* ask({ prompt: prompt(16_000, "first") })
      yield* ask({ prompt: prompt(16_000, "second") })
      const warnings = (yield* EventLog).events().filter((event) => event.type === "message")
      expect(warnings.length).toBe(1)
      expect(warnings[0]).toMatchObject({ level: "warning" })
    }
  )
})
