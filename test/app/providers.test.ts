import { expect, it } from "@effect/vitest"
import { builtInProviders, leavesMachine, providerOf, traceName } from "../../src/app/providers.ts"

it.each([
  ["embedded", "embedded", "task-conductor", false],
  ["openai:gpt-oss", "openai", "openai", true],
  [" openai:gpt-oss", "ollama", "ollama", true],
  ["qwen3:8b", "ollama", "ollama", false],
  ["gpt-oss:120b-cloud", "ollama", "ollama", true],
  ["acme:small", "ollama", "ollama", false]
])("%s is a model of %s", (model, id, trace, leaves) => {
  expect([providerOf(model).id, traceName(model), leavesMachine(model)]).toEqual([id, trace, leaves])
})

it("knows the names of models that the server has elsewhere", () => {
  const names = [" kimi-k2:1t-cloud ", "a/model:cloud", "GLM-4.6:CLOUD", "model-cloud", "qwen3:cloud@sha256:00ff"]
  const others = ["cloudy:8b", "cloud", "cloud/model:8b", "my-cloud-notes:1b"]
  expect([names, others].map((all) => all.filter(leavesMachine))).toEqual([names, []])
})

it("gives a model to the provider that has the beginning of its name", () => {
  const [embedded] = builtInProviders
  const acme = { id: "acme", model: embedded!.model }
  const providers = [acme, ...builtInProviders]
  expect(providerOf("acme:small", providers)).toBe(acme)
  expect(traceName("acme:small", providers)).toBe("acme")
  expect(providerOf("acme", providers).id).toBe("ollama")
})
