import { assert, describe } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../../src/index.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import { sandbox } from "../../support/OneModelServer.ts"
import { obedient, model, ask, env, serve } from "../../support/OpenAiRun.ts"
import { liveTest } from "../../support/liveTest.ts"

describe("a server of the OpenAI API", () => {
  liveTest("says how much of the prompts it had in its cache", function* () {
    const { run: start } = yield* sandbox
    const server = yield* serve((body, index) => {
      const text = obedient(body, index)
      return typeof text === "string" ? { text, promptTokens: 1000, answerTokens: 10, cachedTokens: 700 } : text
    })
    const { stdout } = yield* Effect.promise(() => start(["run", "--json", ...ask], env(server)))
    assert.include(stdout.trim().split("\n").at(-1), '"prompt_tokens":7000,"cached_tokens":4900')
    const shown = yield* Effect.promise(() => start(["show", "last", "--task", "Look 1"], {}))
    assert.include(shown.stdout, "2000 tokens in, 1400 of them from the server's cache, 20 out")
  })

  liveTest("gets as many calls at a time as it says that it works on, unless the user said it", function* () {
    const { root, run: start } = yield* sandbox
    const server = yield* serve(obedient, { paths: { "/props": { status: 200, body: { total_slots: 3 } } } })
    const journals = () =>
      globSync("**/.*/**/journal.jsonl", { cwd: root })
        .toSorted()
        .map((file) => readFileSync(join(root, file), "utf8"))
    const saved = (): string =>
      journals()
        .map((text) => /"parallel":\d+/.exec(text)?.[0])
        .join()
    yield* Effect.promise(() => start(["run", ...ask], env(server)))
    assert.strictEqual(saved(), '"parallel":3')
    // Three slots have windows of their own: a second plan costs no time.
    assert.include(journals()[0], '"plans":2')
    yield* Effect.promise(() => start(["run", "--parallel", "5", ...ask], env(server)))
    assert.include(saved(), '"parallel":5')
  })

  liveTest("answers a script", function* () {
    const { root } = yield* sandbox
    const open = yield* FakeOpenAi.make(obedient)
    const { report } = run({
      project: `${root}/project`,
      prompt: "Time?",
      model,
      openaiBaseUrl: open.url,
      stateFolder: `${root}/state`
    })
    const { answer, message, status } = yield* Effect.promise(() => report)
    assert.deepStrictEqual([status, message, answer], ["done", "", "It is noon."])
  })
})
