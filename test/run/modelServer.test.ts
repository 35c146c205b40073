/** The command line with a server that speaks like Ollama: the window follows the model, and flags reach every request. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { run } from "../../src/index.ts"
import { liveTest } from "../support/liveTest.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import type { Script } from "../support/FakeOllamaScript.ts"
import { sandbox, obedient, cutOff, serve, windows, ask, env } from "../support/OneModelServer.ts"

/** Comes to no answer as long as it may think. */
const ponderer: Script = (body, index) => (body["think"] === false ? obedient(body, index) : cutOff)

describe("the window of a run", () => {
  it.live.each([
    ["what the user set", { parameters: "num_ctx 12288" }, ["--context-window", "10000"], 10_000, undefined],
    [
      "what the model supports",
      { contextLength: 9000, parameters: "num_ctx 100000" },
      [],
      9000,
      "warning: The context window is lowered from 100000 to 9000 tokens"
    ]
  ] as const)("is %s", ([, model, flags, window, note]) =>
    Effect.gen(function* () {
      const { run } = yield* sandbox
      const server = yield* serve(model)
      const { code, stderr, stdout } = yield* Effect.promise(() => run([...ask, ...flags], env(server)))
      assert.deepStrictEqual([code, stdout, windows(server)], [0, "It is noon.\n", [window]])
      if (note === undefined) assert.notInclude(stderr, "context window")
      else assert.include(stderr, note)
    })
  )
})

liveTest("a window that was asked for and that the model does not have begins no run", function* () {
  const { root, run } = yield* sandbox
  const server = yield* serve({ contextLength: 9000 })
  for (const command of ["run", "plan", "ask"]) {
    const flags = ["--context-window", "100000", "--model", fakeModel, "What time is it?"]
    const { code, stderr, stdout } = yield* Effect.promise(() => run([command, ...flags], env(server)))
    assert.deepStrictEqual([code, stdout], [2, ""], stderr)
    assert.include(
      stderr,
      'contextWindow (--context-window): the model "qwen3:8b" supports 9000 tokens, and 100000 were asked for. Ask for 9000 or fewer, or leave it out.'
    )
  }
  assert.deepStrictEqual([existsSync(`${root}/state/task-conductor/runs`), windows(server)], [false, []])
})

describe("flags about the model", () => {
  liveTest("reach every request, over what the configuration says of stages", function* () {
    const { run, write } = yield* sandbox
    const stages = { plan: { think: "high", sampling: { topK: 5 } }, task: { sampling: { temperature: 1 } } }
    write("config/task-conductor/config.json", JSON.stringify({ think: "low", stages }))
    const server = yield* serve({})
    const flags = ["--think", "off", "--temperature", "0.1", "--seed", "3"]
    assert.strictEqual((yield* Effect.promise(() => run([...ask, ...flags], env(server)))).code, 0)
    const sent = server.chats.map(({ options = {}, think }) => {
      const { seed, temperature, top_k } = options
      return [think, temperature, seed, top_k]
    })
    assert.deepStrictEqual(sent, [
      [false, 0.1, 3, 5],
      /* What is recommended for the family goes with its own temperature alone. */
      ...Array.from({ length: 4 }, () => [false, 1, 3, undefined]),
      [false, 0.1, 3, undefined],
      [false, 0.1, 3, undefined]
    ])
  })
})

describe("a model that is cut off while it thinks", () => {
  liveTest("in a run is told so and asked without thoughts, until the document is accepted", function* () {
    const { run } = yield* sandbox
    const server = yield* serve({}, { script: ponderer })
    const { code, stderr } = yield* Effect.promise(() => run(ask, env(server)))
    assert.strictEqual(code, 0)
    const asked = server.chats.map(({ messages, think }) => [
      think,
      messages.at(-1)?.content.includes("The thinking ran into the length limit")
    ])
    const pair = [
      [undefined, false],
      [false, true]
    ]
    /* A task goes on without thoughts. */
    assert.deepStrictEqual(asked, [...pair, ...pair, [false, false], ...pair, [false, false], ...pair, ...pair])
    assert.include(stderr, "The thinking ran into the length limit")
  })
})

describe("a script", () => {
  liveTest("sets window, thinking and sampling", function* () {
    const { root } = yield* sandbox
    process.env["XDG_CONFIG_HOME"] = `${root}/config`
    const server = yield* serve({ contextLength: 10_000 })
    const { report } = run({
      project: `${root}/project`,
      stateFolder: `${root}/state`,
      host: server.url,
      model: fakeModel,
      prompt: "What time is it?",
      contextWindow: 10_000,
      think: "low",
      sampling: { temperature: 0.7, minP: 0.1 },
      stages: { task: { think: false } }
    })
    assert.strictEqual((yield* Effect.promise(() => report)).status, "done")
    assert.deepStrictEqual(windows(server), [10_000])
    const sent = server.chats.map(({ options, think }) => [think, options?.["temperature"], options?.["min_p"]])
    const thinking = ["low", false, false, false, false, "low", "low"]
    assert.deepStrictEqual<unknown>(
      sent,
      thinking.map((think) => [think, 0.7, 0.1])
    )
  })
})
