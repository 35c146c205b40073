import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { CurrentServer, layerCurrentServer, unknownFacts } from "../../../../src/services/providers/Provider.ts"
import { connectOllama } from "../../../../src/services/providers/ollama/OllamaServer.ts"
import { FakeOllama } from "../../../support/FakeOllama.ts"
import { nodeTest } from "../../../support/nodeTest.ts"

const models = [{ name: "own:latest", parameters: "num_ctx 9000\ntemperature 0.6", contextLength: 16_384 }]

nodeTest("asks once for each model, again after a failure, and knows what is loaded", function* () {
  const scope = yield* Scope.make()
  const first = yield* Scope.provide(
    FakeOllama.make(() => "ok", { models }),
    scope
  )
  const port = Number(new URL(first.url).port)
  yield* Scope.close(scope, Exit.void)
  yield* Effect.gen(function* () {
    const { facts: factsOf } = yield* CurrentServer
    expect(yield* factsOf("own")).toEqual(unknownFacts)
    const server = yield* FakeOllama.make(() => "ok", { models, port })
    const body = JSON.stringify({ model: "own", messages: [], options: { num_ctx: 4000 } })
    yield* Effect.promise(() => fetch(`${server.url}/api/chat`, { method: "POST", body }).then((said) => said.text()))
    const facts = {
      isKnown: true,
      refusesLong: true,
      abilities: { completion: true, thinking: true, tools: true, vision: false },
      isForwarded: false,
      family: "qwen3",
      capacity: { supportedWindow: 16_384, modelfileWindow: 9000, loadedWindow: 4000 },
      temperature: 0.6
    }
    expect(yield* factsOf("own")).toEqual(facts)
    expect(yield* factsOf("own")).toEqual(facts)
    expect(yield* factsOf("other")).toEqual({ ...unknownFacts, isMissing: true })
    const paths = server.requests.map(({ path }) => path).filter((path) => path !== "/api/chat")
    expect(paths).toEqual(["/api/show", "/api/ps", "/api/version", "/api/show"])
  }).pipe(Effect.provide(layerCurrentServer(connectOllama({ host: first.url }))))
})

it.live.each([
  ["0.29.9", false],
  ["0.30.0", true],
  ["1.0.0", true],
  ["0.0.0", true],
  ["unknown", false]
] as const)("version %s refuses prompts over the window without being asked: %s", ([version, refuses]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const paths = { "/api/version": { status: 200, body: { version } } }
      const { url } = yield* FakeOllama.make(() => "ok", { paths })
      const server = yield* connectOllama({ host: url })
      expect(yield* server.facts("qwen3:8b")).toMatchObject({ isKnown: true, refusesLong: refuses })
    })
  )
)
