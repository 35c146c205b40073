import { describe, expect, it } from "@effect/vitest"
import {
  fittingModels,
  type InstalledModel,
  matchName,
  modelLines,
  sizeText
} from "../../../src/domain/models/InstalledModel.ts"

const model = (name: string, more: Partial<InstalledModel> = {}): InstalledModel => ({
  name,
  size: 5_200_000_000,
  completion: true,
  tools: true,
  thinking: false,
  isForwarded: false,
  ...more
})

describe("a name that the server does not know", () => {
  const names = ["qwen3:8b", "llama3.2:3b", "llama3.2:1b", "hf.co/a/qwen:Q4", "localhost:5000/a/own"]
  const cases: ReadonlyArray<readonly [string, string | undefined, ReadonlyArray<string>]> = [
    ["qwen3", "qwen3:8b", ["qwen3:8b"]],
    ["QWEN3", "qwen3:8b", ["qwen3:8b"]],
    ["hf.co/a/qwen", "hf.co/a/qwen:Q4", ["hf.co/a/qwen:Q4"]],
    ["llama3.2", undefined, ["llama3.2:3b", "llama3.2:1b"]],
    ["qwen3:4b", undefined, ["qwen3:8b"]],
    ["qwen", undefined, ["qwen3:8b"]],
    ["qewn3:8b", undefined, ["qwen3:8b"]],
    ["gemma3:27b", undefined, []]
  ]
  for (const [given, only, nearest] of cases) {
    it(`means ${only ?? (nearest.join(" or ") || "nothing")}: ${given}`, () => {
      const found = matchName(given, names)
      expect(found.only).toBe(only)
      expect(found.nearest.slice(0, Math.max(1, nearest.length))).toEqual(nearest)
    })
  }

  it("is not taken for a name with another tag, even the only one", () => {
    expect(matchName("qwen3:14b", ["qwen3:8b"]).only).toBeUndefined()
  })
})

describe("the models to choose from", () => {
  it("are those that write text: first the ones here, with tools, in memory", () => {
    const models = [
      model("far", { isForwarded: true }),
      model("embed", { completion: false }),
      model("plain", { tools: false }),
      model("cold"),
      model("warm", { loadedWindow: 8192 })
    ]
    expect(fittingModels(models).map(({ name }) => name)).toEqual(["warm", "cold", "plain", "far"])
  })

  it("are listed in columns", () => {
    const lines = modelLines([
      model("qwen3:8b", { thinking: true, supportedWindow: 40_960, loadedWindow: 8192 }),
      model("far:cloud", { isForwarded: true, size: 300 }),
      model("embed", { completion: false, tools: false, size: 274_000_000, supportedWindow: 2048 })
    ])
    expect(lines).toEqual([
      "qwen3:8b   5.2 GB  40960 tokens  tools, thinking, loaded with 8192 tokens",
      "far:cloud                        tools, forwards prompts to another server",
      "embed      274 MB  2048 tokens   cannot write text"
    ])
    expect(sizeText(999_600_000)).toBe("1000 MB")
  })
})
