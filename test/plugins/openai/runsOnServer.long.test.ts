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
  liveTest(
    "says how much of the prompts it had in its cache, and nothing is said when it left that out once",
    function* () {
      const { run: start } = yield* sandbox
      const counted = Effect.fnUntraced(function* (silent: number) {
        const server = yield* serve((body, index) => {
          const text = obedient(body, index)
          if (typeof text !== "string") return text
          return { text, promptTokens: 1000, answerTokens: 10, ...(index === silent ? {} : { cachedTokens: 700 }) }
        })
        const told = yield* Effect.promise(() => start(["run", ...ask], env(server)))
        const shown = yield* Effect.promise(() => start(["show", "last", "--task", "Look 1"], {}))
        const lines = yield* Effect.promise(() => start(["run", "--json", ...ask], env(server)))
        return { told: told.stderr, shown: shown.stdout, json: lines.stdout.trim().split("\n").at(-1) ?? "" }
      })
      const all = yield* counted(-1)
      assert.include(all.told, "7000 tokens read, 4900 of them from the server's cache, 70 written")
      assert.include(all.shown, "2000 tokens in, 1400 of them from the server's cache, 20 out")
      assert.include(all.json, '"prompt_tokens":7000,"cached_tokens":4900')
      const some = yield* counted(2)
      assert.include(some.told, "7000 tokens read, 70 written")
      assert.include(some.shown, "2000 tokens in, 20 out")
      assert.notInclude(some.told + some.shown, "cache")
    }
  )

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
    assert.include(journals()[0], "plan/attempt-1/choice-2")
    yield* Effect.promise(() => start(["run", "--parallel", "5", ...ask], env(server)))
    assert.include(saved(), '"parallel":5')
  })

  liveTest("answers plan, ask with calls, and a script", function* () {
    const { root, run: start, write } = yield* sandbox
    write("project/a.txt", "one\ntwo\n")
    const server = yield* serve((body, index) =>
      body["tools"] === undefined
        ? obedient(body, index)
        : body.messages.at(-1)?.role === "tool"
          ? { thinking: "I read it.", text: "One and two." }
          : { toolCalls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' }], argumentBytes: 3 }
    )
    const planned = yield* Effect.promise(() => start(["plan", ...ask], env(server)))
    assert.strictEqual(planned.code, 0)
    assert.include(planned.stdout, "Look 1")

    const asked = yield* Effect.promise(() =>
      start(
        ["ask", "--model", model, "--tool-calls", "native", "--allow", "read_file", "What is in a.txt?"],
        env(server)
      )
    )
    assert.deepStrictEqual([asked.code, asked.stdout.trim()], [0, "One and two."])
    const last = server.chats.at(-1)
    assert.deepStrictEqual(
      last?.messages.slice(1).map(({ role, tool_call_id }) => [role, tool_call_id]),
      [
        ["user", undefined],
        ["assistant", undefined],
        ["tool", "d0f631ca1"]
      ]
    )

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
