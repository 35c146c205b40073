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
    const small = { ...settings, model: "small:1b" }
    const stages = { ask: { model: "small:1b" } }
    expect([toolCallsFor(settings, "task"), toolCallsFor(small, "task", "big:70b")]).toEqual(["native", "native"])
    expect([toolCallsFor(small, "task"), toolCallsFor({ ...settings, stages }, "ask")]).toEqual(["text", "text"])
    expect(toolCallsFor({ ...settings, model: "constructor" }, "task")).toBe("text")
    const all = { ...settings, toolCalls: "text" } as const
    expect(toolCallsFor(all, "task")).toBe("text")
    expect(toolCallsFor({ ...all, stages: { task: { toolCalls: "native" } } }, "task")).toBe("native")
  })
})

it("generationFor takes the values of a stage before those of the run, key by key", () => {
  expect(generationFor(given, "plan")).toEqual({ think: "high", sampling: { temperature: 0.1, topK: 20 } })
  expect(generationFor(given, "task")).toEqual({ think: false, sampling: { temperature: 0.5, topK: 20 } })
  expect(generationFor(given, "iterate")).toEqual({ think: "low", sampling: { temperature: 0.5, topK: 20 } })
  expect(generationFor({}, "ask")).toEqual({ sampling: {} })
})

it("generationFor knows every stage of a run", () => {
  expect(generatingStages.toSorted()).toEqual([...Stage.literals].toSorted())
})

it("mergeGeneration merges stage by stage and key by key", () => {
  const { stages } = mergeGeneration(given, { stages: { plan: { sampling: { seed: 1 } }, ask: { think: true } } })
  const plan = { think: "high", sampling: { temperature: 0.1, seed: 1 } }
  expect(stages).toEqual({ ...given.stages, plan, ask: { think: true } })
  expect([mergeGeneration({}, {}), mergeGeneration(given, {})]).toEqual([{}, given])
})

it("mergeGeneration means all stages by a later value for the run, except those that come with it", () => {
  const merged = mergeGeneration(given, { think: false, stages: { iterate: { think: "medium" } } })
  const thinks = generatingStages.map((stage) => generationFor(merged, stage).think)
  expect(thinks).toEqual([false, false, "medium", false, false])
  expect(generationFor(merged, "plan").sampling).toEqual({ temperature: 0.1, topK: 20 })
})

const again = (repeats: number) => ({ repeats, thinks: false })

describe("samplingToSend", () => {
  const unknown = { isKnown: false }
  const plain = { isKnown: true }
  const warm = { isKnown: true, temperature: 0.6 }
  const gemma = { ...plain, family: { temperature: 1, topK: 64 } }
  const qwen = { ...plain, family: { temperature: 0.6, topK: 20 } }
  const [first, thinking] = [again(0), { repeats: 0, thinks: true }]
  const own = { temperature: 0.3, seed: 4 }

  it.each([
    ["a low temperature for a model without one", {}, plain, first, { temperature: 0.2 }],
    ["nothing over a Modelfile", {}, { ...warm, family: { topP: 0.5 } }, first, {}],
    ["what its family needs", {}, gemma, first, gemma.family],
    ["that beside what the user set", { topK: 5 }, qwen, thinking, { temperature: 0.6, topK: 5 }],
    ["none of it beside a temperature of the user", own, gemma, first, own],
    ["nothing to a model of which nothing is known", {}, unknown, first, {}],
    ["nothing to a model that thinks", {}, plain, thinking, {}],
    ["what the user set, over a Modelfile", own, warm, first, own],
    ["a zero that the user set", { temperature: 0 }, plain, first, { temperature: 0 }],
    ["more after a repeated answer", {}, plain, again(1), { temperature: 0.5, seed: 1 }],
    ["more each time", {}, plain, again(2), { temperature: 0.8, seed: 2 }],
    ["not more than 1", {}, plain, again(9), { temperature: 1, seed: 9 }],
    ["more than the Modelfile has", {}, warm, { ...again(1), thinks: true }, { temperature: 0.9, seed: 1 }],
    ["more than the server has", {}, unknown, again(1), { temperature: 1, seed: 1 }],
    ["never less than the user set", { temperature: 1.5, seed: 7 }, plain, again(2), { temperature: 1.5, seed: 9 }]
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
