/** After an answer that could not be used, a server that can holds the next one to its form. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { FakeOpenAi, fakeOpenAiModel, type OpenAiScript } from "../support/FakeOpenAi.ts"
import { stageNameOf } from "../support/stageName.ts"
import { noonAnswer } from "../support/TestRun.ts"
import { sandbox } from "../support/OneModelServer.ts"

/** A call that lacks its end. */
const torn = '## Tool Calls\n\n```json\n{ "uid": "call-1", "name": "get_current_time", "arguments": { \n```\n'

/** The first answers of these stages are no documents. */
const clumsy = (...stages: ReadonlyArray<string>) => {
  const left = new Set(stages)
  return (stage: string): string => {
    if (!left.delete(stage)) return noonAnswer(stage)
    return stage === "refinement" ? torn : "I would be glad to help with that."
  }
}

const llamaServer = { "/props": { status: 200, body: { total_slots: 1 } } }

const runs = (script: OpenAiScript, paths = {}) =>
  Effect.gen(function* () {
    const { run } = yield* sandbox
    const server = yield* FakeOpenAi.make(script, { paths })
    const args = ["run", "--model", `openai:${fakeOpenAiModel}`, "What time is it?"]
    const said = yield* Effect.promise(() => run(args, { env: { OPENAI_BASE_URL: server.url } }))
    assert.strictEqual(said.code, 0, said.stderr)
    return server.chats.map(({ grammar, messages, response_format: format }) => ({
      grammar,
      format,
      stage: stageNameOf(messages)
    }))
  }).pipe(Effect.scoped)

const saying =
  (answer: (stage: string) => string): OpenAiScript =>
  ({ messages }) =>
    answer(stageNameOf(messages))

const stagesOf = (sent: ReadonlyArray<{ readonly stage: string }>) => sent.map(({ stage }) => stage)

describe("an answer after one that could not be used", () => {
  liveTest("is bound by a grammar on llama.cpp's server, with the skills and tools of the run", function* () {
    const sent = yield* runs(saying(clumsy("creation", "refinement", "iteration")), llamaServer)
    const bound = sent.filter(({ grammar }) => grammar !== undefined)
    assert.deepStrictEqual(stagesOf(bound), ["creation", "refinement", "iteration"])
    const [plan, turn, revision] = bound.map(({ grammar }) => String(grammar))
    assert.include(plan, '"## Original prompt\\n\\n## Goals / summary\\n\\n"')
    assert.match(plan ?? "", /skill ::= .*"any"/)
    assert.notInclude(plan, "-results")
    assert.include(turn, '"\\"get_current_time\\", \\"arguments\\": "')
    assert.include(revision, '"[Look 1](#look-1-results)"')
    assert.isTrue(bound.every(({ format }) => format === undefined))
  })

  liveTest("is free on another server, but for calls, which fit a JSON schema", function* () {
    const sent = yield* runs(saying(clumsy("creation", "refinement")))
    assert.isTrue(sent.every(({ grammar }) => grammar === undefined))
    const bound = sent.filter(({ format }) => format !== undefined)
    assert.deepStrictEqual(stagesOf(bound), ["refinement"])
    assert.include(JSON.stringify(bound[0]?.format), '"enum":["get_current_time"]')
  })

  liveTest("is asked for freely when the server refuses the grammar, and so are all after it", function* () {
    const answer = clumsy("creation", "iteration")
    const sent = yield* runs((body) => {
      if (body["grammar"] !== undefined) return { status: 400, error: "Failed to parse grammar" }
      return answer(stageNameOf(body.messages))
    }, llamaServer)
    assert.lengthOf(
      sent.filter(({ grammar }) => grammar !== undefined),
      1
    )
  })

  liveTest("fits a JSON schema on Ollama when it was to be a call", function* () {
    const { run } = yield* sandbox
    const answer = clumsy("creation", "refinement")
    const server = yield* FakeOllama.make(({ messages }) => answer(stageNameOf(messages)), {
      models: [{ name: fakeModel, capabilities: ["completion"] }]
    })
    const said = yield* Effect.promise(() =>
      run(["run", "--model", fakeModel, "What time is it?"], { env: { OLLAMA_HOST: server.url } })
    )
    assert.strictEqual(said.code, 0, said.stderr)
    const bound = server.chats.filter((body) => body.format !== undefined)
    assert.lengthOf(bound, 1)
    assert.strictEqual(stageNameOf(bound[0]!.messages), "refinement")
    assert.include(JSON.stringify(bound[0]?.format), '"enum":["get_current_time"]')
  })
})
