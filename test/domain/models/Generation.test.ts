import { describe, expect, it } from "@effect/vitest"
import {
  type Generation,
  generationFor,
  generatingStages,
  mergeGeneration,
  samplingToSend,
  toolCallsFor
} from "../../../src/domain/models/Generation.ts"
import { Stage } from "../../../src/domain/runs/ActivityKey.ts"

const given: Generation = {
  think: "low",
  sampling: { temperature: 0.5, topK: 20 },
  stages: { plan: { think: "high", sampling: { temperature: 0.1 } }, task: { think: false } }
}

describe("toolCallsFor", () => {
  const settings = { model: "qwen3", modelToolCalls: { "qwen3:latest": "native", "big:70b": "native" } } as const

  it("takes what is set for the model of the stage or skill, with or without the tag latest; else text", () => {
    expect(toolCallsFor(settings, "task")).toBe("native")
    expect(toolCallsFor({ ...settings, model: "small:1b" }, "task")).toBe("text")
    expect(toolCallsFor({ ...settings, model: "small:1b" }, "task", "big:70b")).toBe("native")
    expect(toolCallsFor({ ...settings, stages: { ask: { model: "small:1b" } } }, "ask")).toBe("text")
    expect(toolCallsFor({ ...settings, model: "constructor" }, "task")).toBe("text")
  })

  it("takes what is set for the stage or for all before that", () => {
    expect(toolCallsFor({ ...settings, toolCalls: "text" }, "task")).toBe("text")
    expect(toolCallsFor({ ...settings, toolCalls: "text", stages: { task: { toolCalls: "native" } } }, "task")).toBe(
      "native"
    )
  })
})

describe("generationFor", () => {
  it("takes the values of a stage before those of the run, key by key", () => {
    expect(generationFor(given, "plan")).toEqual({ think: "high", sampling: { temperature: 0.1, topK: 20 } })
    expect(generationFor(given, "task")).toEqual({ think: false, sampling: { temperature: 0.5, topK: 20 } })
    expect(generationFor(given, "iterate")).toEqual({ think: "low", sampling: { temperature: 0.5, topK: 20 } })
    expect(generationFor({}, "ask")).toEqual({ sampling: {} })
  })

  it("knows every stage of a run", () => {
    expect(generatingStages.toSorted()).toEqual([...Stage.literals].toSorted())
  })
})

describe("mergeGeneration", () => {
  it("merges stage by stage and key by key", () => {
    expect(mergeGeneration(given, { stages: { plan: { sampling: { seed: 1 } }, ask: { think: true } } })).toEqual({
      ...given,
      stages: {
        ...given.stages,
        plan: { think: "high", sampling: { temperature: 0.1, seed: 1 } },
        ask: { think: true }
      }
    })
    expect(mergeGeneration({}, {})).toEqual({})
    expect(mergeGeneration(given, {})).toEqual(given)
  })

  it("means all stages by a later value for the run, except those that come with it", () => {
    const merged = mergeGeneration(given, { think: false, stages: { iterate: { think: "medium" } } })
    expect(generatingStages.map((stage) => generationFor(merged, stage).think)).toEqual([
      false,
      false,
      "medium",
      false,
      false
    ])
    expect(generationFor(merged, "plan").sampling).toEqual({ temperature: 0.1, topK: 20 })
  })
})

describe("samplingToSend", () => {
  const unknown = { isKnown: false }
  const plain = { isKnown: true }
  const warm = { isKnown: true, temperature: 0.6 }
  const first = { repeats: 0, thinks: false }

  it.each([
    ["a low temperature for a model without one", {}, plain, first, { temperature: 0.2 }],
    ["nothing over a Modelfile", {}, { ...warm, family: { topP: 0.5 } }, first, {}],
    [
      "what its family needs",
      {},
      { ...plain, family: { temperature: 1, topK: 64 } },
      first,
      { temperature: 1, topK: 64 }
    ],
    [
      "what its family needs when it thinks, beside what the user set",
      { topK: 5 },
      { ...plain, family: { temperature: 0.6, topK: 20 } },
      { repeats: 0, thinks: true },
      { temperature: 0.6, topK: 5 }
    ],
    [
      "nothing of its family beside a temperature of the user",
      { temperature: 0.3, seed: 4 },
      { ...plain, family: { temperature: 1, topK: 64, topP: 0.95 } },
      first,
      { temperature: 0.3, seed: 4 }
    ],
    ["nothing to a model of which nothing is known", {}, unknown, first, {}],
    ["nothing to a model that thinks", {}, plain, { repeats: 0, thinks: true }, {}],
    [
      "what the user set, over a Modelfile",
      { temperature: 0.9, minP: 0.1 },
      warm,
      first,
      { temperature: 0.9, minP: 0.1 }
    ],
    ["a zero that the user set", { temperature: 0 }, plain, first, { temperature: 0 }],
    ["more after a repeated answer", {}, plain, { repeats: 1, thinks: false }, { temperature: 0.5, seed: 1 }],
    ["more each time", {}, plain, { repeats: 2, thinks: false }, { temperature: 0.8, seed: 2 }],
    ["not more than 1", {}, plain, { repeats: 9, thinks: false }, { temperature: 1, seed: 9 }],
    ["more than the Modelfile has", {}, warm, { repeats: 1, thinks: true }, { temperature: 0.9, seed: 1 }],
    ["more than the server has", {}, unknown, { repeats: 1, thinks: false }, { temperature: 1, seed: 1 }],
    [
      "never less than the user set",
      { temperature: 1.5, seed: 7 },
      plain,
      { repeats: 2, thinks: false },
      { temperature: 1.5, seed: 9 }
    ]
  ] as const)("is %s", (_name, sampling, model, state, sent) => {
    expect(samplingToSend(sampling, model, state)).toEqual(sent)
  })
})

describe("models of stages", () => {
  const models = { model: "a", stages: { plan: { model: "b", think: true }, ask: { model: "c" } } }

  it("stay when a later place sets something else, and give way when it names a model for all", () => {
    expect(mergeGeneration(models, { think: false }).stages).toEqual({ plan: { model: "b" }, ask: { model: "c" } })
    expect(mergeGeneration(models, { model: "d", stages: { ask: { model: "e" } } }).stages).toEqual({
      plan: { think: true },
      ask: { model: "e" }
    })
  })
})
