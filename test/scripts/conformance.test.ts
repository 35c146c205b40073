/**
 * The server of measurements passes the checks that model servers pass, and the checks see what is wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type CheckFailed, tableOf } from "../../scripts/conformance/Check.ts"
import { restartWith } from "../../scripts/conformance/restartCommand.ts"
import { slotModel, startSlotServer } from "../../bench/SlotServer.ts"
import { conformingOllama, documentOf } from "../support/ConformingModels.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import type { Script } from "../support/FakeOllamaScript.ts"
import { targetOf, models, rowsOf, named } from "../support/conformanceRows.ts"

const answer = (system: string) => documentOf(system) ?? '{"verdict": "yes", "sure": true}'

describe("the checks of model servers", () => {
  it.live("are passed by the server of measurements, which does not think and takes every call", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startSlotServer({ slots: 2, latency: 0, answer })),
        ({ close }) => Effect.promise(close)
      )
      const { plainModel: _plain, thinkingModel: _thinking, ...target } = targetOf("ollama", server.url)
      const rows = yield* rowsOf({ ...target, model: slotModel })
      assert.deepStrictEqual(named(rows, "failed"), [])
      assert.deepStrictEqual(
        named(rows, "not supported").map((row) => row.split(":")[0]),
        [
          "two models in turn",
          "thinking",
          "thinking turned off",
          "thinking that the model cannot do",
          "a call that is a must",
          "a call that the form of the answer makes",
          "tools that the model cannot call",
          "more calls than the queue takes"
        ]
      )
      const untried = "--restart names no command that ends the server and starts it again"
      assert.deepStrictEqual(named(rows, "not tried"), [
        `a call whose server starts again: ${untried}`,
        `a run whose server starts again: ${untried}`,
        `a run that is resumed on a server that started again: ${untried}`
      ])
    })
  )

  const wrong: ReadonlyArray<readonly [name: string, said: string, script: Script]> = [
    ["streaming", "came in 1 pieces", () => "one"],
    ["counts of tokens", "the server says no counts", () => ({ text: "one two", stats: false })],
    ["the longest answer", "9 tokens", () => ({ text: "one two", answerTokens: 9 })],
    [
      "a prompt over the window",
      "cut the prompt to 1000 tokens",
      ({ messages }) => ({
        text: "a b",
        promptTokens: Math.min(1000, messages[0]?.content.length ?? 0)
      })
    ],
    ["a prompt over the window", "100 characters have 26 tokens", () => "a b"],
    ["thinking", "no thoughts", () => "a b"],
    ["thinking that the model cannot do", "Refused", () => ({ status: 400, error: "no" })],
    ["an answer bound to a schema", "Expected", () => "noise"],
    ["a whole run", "unavailable", () => ({ status: 401, error: "no" })],
    ["more calls than the queue takes", "DiedMidStream", () => ({ text: "a b", errorLine: "gone" })]
  ]
  it.live.each(wrong)("see what is wrong with %s: %s", ([name, said, script]) =>
    Effect.gen(function* () {
      const { url } = yield* FakeOllama.make(script, { models })
      const [row] = yield* rowsOf(targetOf("ollama", url), (one) => one === name)
      assert.notStrictEqual(row?.outcome, "passed")
      assert.include(row?.detail, said)
    })
  )

  it.live("see a server that does not come back, and a call that ends with a wrong word", () =>
    Effect.gen(function* () {
      const restartName = "a call whose server starts again"
      const { url } = yield* FakeOllama.make(conformingOllama(), { models })
      const target = { ...targetOf("ollama", url), patience: 50 }
      const rowOf = (restart: Effect.Effect<void, CheckFailed>) =>
        Effect.map(
          rowsOf({ ...target, restart }, (name) => name === restartName),
          ([row]) => `${row?.outcome}: ${row?.detail}`
        )
      assert.strictEqual(yield* rowOf(Effect.void), "failed: the call did not end within 50 ms")
      assert.strictEqual(
        yield* rowOf(restartWith("exit 3")),
        'failed: --restart "exit 3" ended with 3; run it by hand to see what it says'
      )
      const refusing = yield* FakeOllama.make(() => ({ status: 400, error: "no" }), { models })
      assert.match(
        yield* Effect.map(
          rowsOf({ ...target, host: refusing.url, restart: restartWith("true") }, (name) => name === restartName),
          ([row]) => `${row?.outcome}: ${row?.detail}`
        ),
        /^failed: The model server refused the request/
      )
    })
  )

  it("become a table", () => {
    assert.strictEqual(
      tableOf([{ name: "a", outcome: "passed", detail: "b | c" }]),
      "| check | result | seen |\n|---|---|---|\n| a | passed | b \\| c |"
    )
  })
})
