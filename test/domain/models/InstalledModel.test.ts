import { describe, expect, it } from "@effect/vitest"
import {
  fittingModels,
  type InstalledModel,
  matchName,
  modelLines,
  isUnusualName,
  listedName
} from "../../../src/domain/models/InstalledModel.ts"
import { sizeText } from "../../../src/domain/text/Format.ts"

const model = (name: string, more: Partial<InstalledModel> = {}): InstalledModel => ({
  name,
  size: 5_200_000_000,
  abilities: { completion: true, tools: true, thinking: false },
  isForwarded: false,
  capacity: {},
  ...more
})

describe("a name that the server does not know", () => {
  const names = ["qwen3:8b", "llama3.2:3b", "llama3.2:1b", "hf.co/a/qwen:Q4", "localhost:5000/a/own"]
  it.each([
    ["qwen3", "qwen3:8b", ["qwen3:8b"]],
    ["QWEN3", "qwen3:8b", ["qwen3:8b"]],
    ["library/Qwen3", "qwen3:8b", ["qwen3:8b"]],
    ["hf.co/a/qwen", "hf.co/a/qwen:Q4", ["hf.co/a/qwen:Q4"]],
    ["llama3.2", undefined, ["llama3.2:3b", "llama3.2:1b"]],
    ["qwen3:4b", undefined, ["qwen3:8b"]],
    ["qwen", undefined, ["qwen3:8b"]],
    ["qewn3:8b", undefined, ["qwen3:8b"]],
    ["gemma3:27b", undefined, []]
  ])("%s means %s, and is near to %j", (given, only, nearest) => {
    const found = matchName(given, names)
    expect([found.only, found.nearest.slice(0, Math.max(1, nearest.length))]).toEqual([only, nearest])
  })

  it("is compared without the word that all names of a server begin with", () => {
    const prefixed = ["openai:conformance", "openai:qwen2-tiny"]
    expect(matchName("openai:qwen2-tin", prefixed).nearest[0]).toBe("openai:qwen2-tiny")
    expect(matchName("qwen3:14b", ["qwen3:8b"]).only).toBeUndefined()
  })
})

describe("a name that the server takes for another", () => {
  const names = ["qwen3:8b", "tiny:latest", "me/Own:v1"]

  it.each([
    ["Qwen3:8B", "qwen3:8b"],
    ["library/qwen3:8b", "qwen3:8b"],
    ["registry.ollama.ai/library/Tiny", "tiny:latest"],
    ["ME/own:v1", "me/Own:v1"],
    ["tiny", "tiny"],
    ["qwen3:8b", "qwen3:8b"],
    ["other/qwen3:8b", "other/qwen3:8b"],
    ["qwen3", "qwen3"]
  ])("%s is %s", (given, listed) => {
    expect(listedName(given, names)).toBe(listed)
    if (given !== listed) expect(isUnusualName(given)).toBe(true)
  })
})

it("the models to choose from are those that write text: first the ones here, with tools, in memory", () => {
  const models = [
    model("far", { isForwarded: true }),
    model("embed", { abilities: { completion: false } }),
    model("plain", { abilities: { tools: false } }),
    model("cold"),
    model("warm", { capacity: { loadedWindow: 8192 } })
  ]
  expect(fittingModels(models).map(({ name }) => name)).toEqual(["warm", "cold", "plain", "far"])
})

it("the models to choose from are listed in columns", () => {
  const qwen = {
    abilities: { tools: true, thinking: true },
    capacity: { supportedWindow: 40_960, loadedWindow: 8192 }
  }
  const embed = {
    abilities: { completion: false, tools: false },
    size: 274_000_000,
    capacity: { supportedWindow: 2048 }
  }
  expect(
    modelLines([model("qwen3:8b", qwen), model("far:cloud", { isForwarded: true, size: 300 }), model("embed", embed)])
  ).toEqual([
    "qwen3:8b   5.2 GB  40960 tokens  tools, thinking, loaded with 8192 tokens",
    "far:cloud                        tools, forwards prompts to another server",
    "embed      274 MB  2048 tokens   cannot write text"
  ])
  expect(sizeText(999_600_000)).toBe("1000 MB")
})

const loadedLine = (bytes: number, gpuBytes: number, window = 16_384) =>
  modelLines([
    model("qwen3:8b", { size: 5e9, capacity: { loadedWindow: window }, memory: { bytes, gpuBytes, window } })
  ])[0]

it("a model that is in memory is listed with what is not on the graphics card, and a window that would fit", () => {
  expect(loadedLine(8e9, 8e9)).toMatch(/loaded with 16384 tokens$/)
  expect(loadedLine(10e9, 6e9)).toMatch(/40 % on the CPU, about 3 times slower, a window of 3072 tokens would fit$/)
  expect(loadedLine(10e9, 4e9)).toMatch(/60 % on the CPU, about 4 times slower$/)
  expect(loadedLine(10e9, 0)).toMatch(/on the CPU alone$/)
})
