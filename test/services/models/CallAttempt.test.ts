/** Calls to a server that speaks like Ollama: what is sent to models that think, or refuse to, and what comes of it. */
import { firstTuning } from "../../../src/services/models/CallPlan.ts"
import { assert, describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultLimits, type Limits } from "../../../src/domain/configuration/Limits.ts"
import { type FilledPrompt, neededTokens } from "../../../src/domain/models/PromptSize.ts"
import type { Generation } from "../../../src/domain/models/Generation.ts"
import type { ModelRequest } from "../../../src/services/models/CallAttempt.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { connectOllama } from "../../../src/services/providers/ollama/OllamaServer.ts"
import { layerCurrentServer } from "../../../src/services/providers/Provider.ts"
import { callerLayer } from "../../support/callerLayer.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama, type FakeServer } from "../../support/FakeOllama.ts"
import { fakeModel, type FakeModel } from "../../support/FakeOllamaPaths.ts"
import { inOrder, type Script } from "../../support/FakeOllamaScript.ts"
import { nodeTest } from "../../support/nodeTest.ts"

interface Given {
  readonly generation?: Generation
  readonly limits?: Partial<Limits>
  readonly model?: Partial<FakeModel>
}

const contextWindow = 8192

const layer = ({ url }: FakeServer, { generation = {}, limits = {} }: Given) =>
  callerLayer(layerOllama({ host: url, model: fakeModel, contextWindow, maxAnswerTokens: 2048 }), {
    model: fakeModel,
    contextWindow,
    ...generation,
    limits: { ...defaultLimits, ...limits }
  }).pipe(Layer.provide(layerCurrentServer(connectOllama({ host: url }))))

/** Asks a server with this script, with one call after another. */
const asking = (script: Script, given: Given, ...requests: ReadonlyArray<Partial<ModelRequest>>) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(script, { models: [{ name: fakeModel, ...given.model }] })
    return yield* Effect.gen(function* () {
      const caller = yield* ModelCaller
      const outcomes = yield* Effect.forEach(requests, (request, index) =>
        Effect.result(
          caller.ask({
            id: { stage: "plan", round: 0, attempt: index + 1 },
            step: 0,
            prompt: { system: "s", user: "u" },
            ...request
          })
        )
      )
      const events = (yield* EventLog).events()
      const sent: ReadonlyArray<Record<string, unknown>> = server.chats.map(({ options, think }) => ({
        think,
        ...options,
        num_ctx: undefined
      }))
      return { outcomes, events, sent, server }
    }).pipe(Effect.provide(layer(server, given)))
  })

const types = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)
const reasons = (outcomes: ReadonlyArray<{ readonly _tag: string }>) =>
  outcomes.map((outcome) =>
    "failure" in outcome ? (outcome.failure as { reason: { _tag: string } }).reason._tag : "ok"
  )
const talk = "I look at it from one side, number one, and then from another. "
const thoughts = Array.from({ length: 400 }, (_, index) => talk.replace("one", String(index))).join("")

/** Thinks without an end, in tags. */
const endless: Script = () => ({ text: `<think>${thoughts}`, end: false, done: false })
const working: Partial<ModelRequest> = { id: { stage: "task", round: 1, task: "A", attempt: 1 } }
const cut = (thinkingCuts: number) => ({ ...working, tuning: { repeats: 0, thinkingCuts } })

/** The limit that is sent for a prompt, by stage. */
const limitsFor = (one: FilledPrompt) =>
  Effect.forEach(["plan", "iterate", "conclude", "task"] as const, (stage) => {
    const request = { prompt: one, id: { stage, round: 1, attempt: 1 } }
    return asking(() => "ok", { model: { capabilities: ["completion"] } }, request)
  }).pipe(Effect.map((all) => all.map(({ sent }) => sent[0]?.["num_predict"])))

describe("the length of an answer", () => {
  nodeTest("is what the window leaves for plans and the answer of a run, and limited for all others", function* () {
    const prompt = { system: "", user: "word ".repeat(2000) }
    const large = { system: "", user: "word ".repeat(4200) }
    const free = contextWindow - neededTokens(prompt)
    const little = contextWindow - neededTokens(large)
    expect(free).toBeGreaterThan(5000)
    expect(yield* limitsFor(prompt)).toEqual([free, free, free, 2048])
    expect(yield* limitsFor(large)).toEqual([little, little, little, 2048])
  })
})

/** What is recommended for the thoughts of the model. */
const thoughtful = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0 }

describe("a model that thinks", () => {
  nodeTest("is told apart from its answer, in a field and in tags, and shown as a phase", function* () {
    const script = inOrder(
      { thinking: "Let me see.", text: "Yes." },
      "<think>Let me see.</think>\n\nYes.",
      "Let me see.\n</think>\n\nYes."
    )
    const { events, outcomes } = yield* asking(script, {}, {}, {}, {})
    const answers = outcomes.map((one) => (one._tag === "Success" ? [one.success.thinking, one.success.text] : []))
    expect(answers).toEqual([
      ["Let me see.", "Yes."],
      ["Let me see.", "Yes."],
      ["Let me see.", "Yes."]
    ])
    const call = { type: "model.phase", call: { stage: "plan", round: 0, attempt: 1 } }
    expect(events.filter((event) => event.type === "model.phase").slice(0, 2)).toEqual([
      { ...call, phase: "thinking" },
      { ...call, phase: "writing" }
    ])
  })

  nodeTest("has room for its thoughts beside the answer; one that does not think has none", function* () {
    const thinker = yield* asking(() => "ok", {}, working)
    expect(thinker.sent).toEqual([{ think: undefined, num_predict: 2048 + 4096, num_ctx: undefined, ...thoughtful }])
    const off = yield* asking(() => "ok", { generation: { think: false } }, working)
    expect(off.sent[0]).toMatchObject({ think: false, num_predict: 2048, temperature: 0.7 })
    const plain = yield* asking(() => "ok", { model: { capabilities: ["completion"] } }, working)
    expect(plain.sent[0]).toMatchObject({ num_predict: 2048, temperature: 0.7 })
    expect(types(plain.events)).toEqual(["model.started", "model.finished"])
  })

  nodeTest("is stopped at its own limit, and asked again without thinking", function* () {
    const script = inOrder({ thinking: thoughts, end: false, done: false }, "Yes.")
    const given = { limits: { thinkingTokens: 1000 } }
    const { outcomes, sent } = yield* asking(script, given, working, cut(1))
    expect(reasons(outcomes)).toEqual(["ThinkingCutOff", "ok"])
    expect(sent.map(({ think }) => think)).toEqual([undefined, false])
    expect(sent.map(({ num_predict }) => num_predict)).toEqual([3048, 2048])
  })

  nodeTest("that ran into the limit of the server was cut off while it thought, whatever the form", function* () {
    const script = inOrder(
      { thinking: "Hm. ", doneReason: "length" },
      { text: "<think>Hm. ", doneReason: "length" },
      { text: "<think>Hm.</think>Yes, because", doneReason: "length" }
    )
    const { outcomes } = yield* asking(script, {}, {}, {}, {})
    expect(reasons(outcomes)).toEqual(["ThinkingCutOff", "ThinkingCutOff", "CutOff"])
    expect(outcomes[2]).toMatchObject({ failure: { reason: { partial: "Yes, because" } } })
  })

  nodeTest("although it was asked not to gets more room each time", function* () {
    const given = { limits: { thinkingTokens: 500 } }
    const { outcomes, sent } = yield* asking(endless, given, working, cut(1), cut(2), cut(3))
    expect(reasons(outcomes)).toEqual(Array.from({ length: 4 }, () => "ThinkingCutOff"))
    expect(sent.map(({ num_predict, think }) => [think, num_predict])).toEqual([
      [undefined, 2548],
      [false, 2048],
      ["low", 2048 + 2000],
      ["low", 2048 + 4000]
    ])
  })

  nodeTest("is asked not to when the prompt leaves no room, and the user is told once", function* () {
    const prompt = { system: "", user: "word ".repeat(4000) }
    const { events, sent } = yield* asking(() => "ok", { generation: { think: "high" } }, { prompt }, { prompt })
    expect(sent.map(({ think }) => think)).toEqual([false, false])
    expect(events.filter((event) => event.type === "message").length).toBe(1)
  })

  nodeTest("has the settings of its stage", function* () {
    const generation: Generation = {
      think: "low",
      sampling: { temperature: 0.3, topP: 0.9, topK: 40, minP: 0.05, repeatPenalty: 1.1, seed: 4 },
      stages: { task: { think: false, sampling: { temperature: 0 } } }
    }
    const task: Partial<ModelRequest> = { id: { stage: "task", round: 1, task: "A", attempt: 1 } }
    const { sent } = yield* asking(() => "ok", { generation }, {}, task)
    const shared = { top_p: 0.9, top_k: 40, min_p: 0.05, repeat_penalty: 1.1, seed: 4 }
    expect(sent).toMatchObject([
      { think: "low", temperature: 0.3, ...shared },
      { think: false, temperature: 0, ...shared }
    ])
  })
})

const refusing =
  (message: string, isRefused: (think: unknown) => boolean): Script =>
  (body) =>
    isRefused(body["think"]) ? { status: 400, error: message } : "ok"
const isSet = (think: unknown) => think !== undefined

/** Cannot do without thoughts. */
const unwilling: Script = (body) =>
  body["think"] === false ? { status: 400, error: "think must be true" } : { text: "ok" }

describe("the model of a skill that supports a smaller window than that of the run", () => {
  nodeTest("is asked with its own, in which its prompts must fit", function* () {
    const large = { prompt: { system: "", user: "word ".repeat(2000) } }
    const { outcomes, server } = yield* asking(() => "ok", { model: { contextLength: 2048 } }, {}, large)
    expect(server.chats.map(({ options }) => options?.num_ctx)).toEqual([2048])
    expect(reasons(outcomes)).toEqual(["ok", "ContextOverflow"])
    expect(outcomes[1]).toMatchObject({ failure: { reason: { window: 2048 } } })
  })
})

describe("a setting that is refused", () => {
  nodeTest.each([
    ["thinking", { think: true }, '"qwen3:8b" does not support thinking', isSet, [true, undefined, undefined]],
    [
      "a level",
      { think: "high" },
      'think value "high" is not supported for this model',
      (think: unknown) => typeof think === "string",
      ["high", true, true]
    ],
    ["a level and thinking", { think: "low" }, "invalid think", isSet, ["low", true, undefined, undefined]],
    ["no thinking", { think: false }, 'unknown field "think"', isSet, [false, undefined, undefined]]
  ] as const)("%s is learnt once, with a note", function* ([, generation, message, isRefused, expected]) {
    const { events, outcomes, sent } = yield* asking(refusing(message, isRefused), { generation }, {}, {})
    expect(reasons(outcomes)).toEqual(["ok", "ok"])
    expect(sent.map(({ think }) => think)).toEqual(expected)
    const notes = events.flatMap((event) => (event.type === "message" ? [event.text] : []))
    expect(notes.length).toBe(1)
    expect(notes[0]).toContain("It is asked without it from now on.")
    expect(types(events).filter((type) => type === "model.failed")).toEqual([])
  })

  nodeTest("after a cut gives the model more room instead, without a note", function* () {
    const tuning = { ...firstTuning, thinkingCuts: 1 }
    const { events, sent } = yield* asking(unwilling, {}, { ...working, tuning }, { tuning })
    /* Twice the thoughts would be more than the window holds beside the prompt. */
    const window = 8192 - 3
    expect(sent.map(({ num_predict, think }) => [think, num_predict])).toEqual([
      [false, 2048],
      ["low", window],
      ["low", window]
    ])
    expect(events.filter((event) => event.type === "message")).toEqual([])
  })

  nodeTest("that has nothing to do with thinking is an error as before", function* () {
    const refuse = inOrder({ status: 400, error: "bad request" })
    const { outcomes, sent } = yield* asking(refuse, { generation: { think: true } }, {})
    expect(reasons(outcomes)).toEqual(["Refused"])
    expect(sent.length).toBe(1)
  })
})

describe("a prompt that the server says is too long", () => {
  nodeTest("is told with its estimated size and the window, and the server is not to blame", function* () {
    const script = inOrder({ status: 400, error: "the input length exceeds the context length" })
    const { outcomes } = yield* asking(script, {}, { prompt: { system: "s".repeat(4000), user: "u".repeat(4000) } })
    const [outcome] = outcomes
    assert(outcome?._tag === "Failure")
    expect(outcome.failure.isUnavailable).toBe(false)
    expect(outcome.failure.message).toBe(
      "The model server refused the prompt of about 2300 tokens as too long. Its context window holds 8192 tokens and must hold the answer too. Narrow the references, or load the model with a larger window and set contextWindow to it."
    )
  })
})

/** An answer that ends without its last line. */
const ending = (text: string, pieces?: number): Script =>
  inOrder({ text, done: false, ...(pieces === undefined ? {} : { pieces }) })

describe("an answer that the server ends without its last line", () => {
  nodeTest.each([
    ["a word", `Yes${" no".repeat(31)}`, 'it repeated "no" 31 times'],
    ["a blank", `Yes${"\n".repeat(31)}`, "it wrote 31 blanks in a row"]
  ] as const)("after %s again and again is a loop", function* ([, text, detail]) {
    const { outcomes } = yield* asking(ending(text, 34), {}, {})
    const [outcome] = outcomes
    assert(outcome?._tag === "Failure")
    expect(outcome.failure.reason).toEqual({ _tag: "Hopeless", kind: "loop", detail, partial: text })
  })

  nodeTest("broke off when it did not repeat itself", function* () {
    const text = `${" no".repeat(29)} yes${" no".repeat(29)}`
    const { outcomes } = yield* asking(ending(text), { limits: { brokenRetries: 0 } }, {})
    expect(reasons(outcomes)).toEqual(["DiedMidStream"])
  })
})
