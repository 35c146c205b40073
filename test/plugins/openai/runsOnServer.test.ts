/** The command line with a server that speaks the API of OpenAI. */
import { assert, describe } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { fakeOpenAiModel } from "../../support/FakeOpenAi.ts"
import { sandbox } from "../../support/OneModelServer.ts"
import { obedient, key, model, ask, env, serve } from "../../support/OpenAiRun.ts"
import { liveTest } from "../../support/liveTest.ts"

describe("a server of the OpenAI API", () => {
  liveTest(
    "answers a run, which can be shown and goes on where it is resumed, and its key is written nowhere",
    function* () {
      const { root, run: start } = yield* sandbox
      let isExpired = true
      const server = yield* serve((body, index) =>
        isExpired && index >= 2 ? { status: 401, error: "expired" } : obedient(body, index)
      )
      const ended = yield* Effect.promise(() => start(["run", ...ask], env(server)))
      assert.deepStrictEqual([ended.code, ended.stdout.split(":")[0]], [5, "Not done (unavailable)"])
      assert.include(ended.stderr, "HTTP 401: expired). Check OPENAI_BASE_URL, OPENAI_API_KEY and the model.")

      isExpired = false
      const { OPENAI_API_KEY } = env(server).env
      const resumed = yield* Effect.promise(() => start(["resume", "last"], { env: { OPENAI_API_KEY } }))
      assert.deepStrictEqual([resumed.code, resumed.stdout], [0, "It is noon.\n"])
      assert.deepStrictEqual([...new Set(server.chats.map((chat) => chat.model))], [fakeOpenAiModel])
      assert.deepStrictEqual(
        [...new Set(server.requests.map(({ headers }) => headers.authorization))],
        [`Bearer ${key}`]
      )

      const shown = yield* Effect.promise(() => start(["show", "last", "--json"], {}))
      assert.notInclude(`${ended.stderr}${resumed.stderr}${shown.stdout}`, key)
      const saved = globSync(["**/*", "**/.*/**/*"], { cwd: root, withFileTypes: true }).filter((entry) =>
        entry.isFile()
      )
      assert.isAbove(saved.length, 3)
      for (const { name, parentPath } of saved) assert.notInclude(readFileSync(join(parentPath, name), "utf8"), key)
    }
  )

  liveTest.each([
    ["no more than the server has", { meta: { n_ctx: 6000 } }, 1500, "lowered from 8192 to 6000"],
    ["as large as the server has it", { max_model_len: 32_768 }, 2048, "is 32768 tokens"]
  ] as const)("has a window that is %s", function* ([, listed, maxTokens, note]) {
    const { run: start } = yield* sandbox
    const server = yield* serve(obedient, { models: [{ id: fakeOpenAiModel, ...listed }] })
    const { code, stderr } = yield* Effect.promise(() => start(["run", ...ask], env(server)))
    assert.strictEqual(code, 0)
    assert.isTrue(server.chats.every(({ max_tokens, temperature }) => Number(max_tokens) >= maxTokens && !temperature))
    assert.include(stderr, note)
  })

  liveTest("is the user's to choose: not that of a project, nor an address with a key in it", function* () {
    const { run: start, write } = yield* sandbox
    const server = yield* serve()
    write("project/task-conductor.json", JSON.stringify({ openaiBaseUrl: server.url }))
    const project = yield* Effect.promise(() => start(["run", ...ask], {}))
    assert.strictEqual(project.code, 2)
    assert.include(project.stderr, '"openaiBaseUrl" has no effect in a project\'s file')
    assert.include(project.stderr, "set OPENAI_BASE_URL")

    write("project/task-conductor.json", JSON.stringify({ model }))
    const unasked = yield* Effect.promise(() =>
      start(["run", "What time is it?"], { env: { ...env(server).env, TASK_CONDUCTOR_MODEL: "" } })
    )
    assert.include(unasked.stderr, "It is not used unless you choose it")
    const inAddress = { env: { OPENAI_BASE_URL: `http://me:${key}@127.0.0.1:1/v1` } }
    const refused = yield* Effect.promise(() => start(["run", ...ask], inAddress))
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "a key goes into OPENAI_API_KEY")
    assert.notInclude(refused.stderr, key)
    assert.deepStrictEqual(server.requests, [])
  })
})
