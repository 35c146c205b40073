/**
 * `models` on an OpenAI-compatible server whose address is all that somebody set.
 */
import { afterAll, assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import { inProcess } from "../../support/inProcess.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

const list = (env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.promise(() => sandbox.run(["models", "--json"], { env })),
    ({ stdout }) => stdout
  )

liveTest("lists the models of the server that somebody named, and of Ollama when both are", function* () {
  const openAi = yield* FakeOpenAi.make(() => "", { models: [{ id: "tiny.gguf", meta: { n_ctx: 8192 } }] })
  const ollama = yield* FakeOllama.make(() => "", { models: [{ name: "qwen3:8b" }] })
  const one = yield* list({ OPENAI_BASE_URL: openAi.url, OLLAMA_HOST: "", TASK_CONDUCTOR_MODEL: "" })
  assert.include(one, '"openai:tiny.gguf"')
  assert.notInclude(one, "qwen3")
  const both = yield* list({ OPENAI_BASE_URL: openAi.url, OLLAMA_HOST: ollama.url })
  assert.include(both, '"qwen3:8b"')
  assert.notInclude(both, "tiny.gguf")
})
