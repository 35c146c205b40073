import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../../src/index.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import { sandbox } from "../../support/OneModelServer.ts"
import { obedient, model, ask, env, serve } from "../../support/OpenAiRun.ts"

describe("a server of the OpenAI API", () => {
  it.live("says how much of the prompts it had in its cache, and nothing is said when it left that out once", () =>
    Effect.gen(function* () {
      const { run: start } = yield* sandbox
      const counted = (silent: number) =>
        Effect.gen(function* () {
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
    }).pipe(Effect.scoped)
  )

  it.live("gets as many calls at a time as it says that it works on, unless the user said it", () =>
    Effect.gen(function* () {
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
  )

  it.live("answers plan, ask with calls, and a script", () =>
    Effect.gen(function* () {
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
  )

  it.live("that does not answer is said to have to be started, with its own variable", () =>
    Effect.gen(function* () {
      const { run: start } = yield* sandbox
      const { code, stderr } = yield* Effect.promise(() =>
        start(["run", ...ask], { env: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } })
      )
      assert.strictEqual(code, 5)
      assert.include(stderr, "No model server answers at http://127.0.0.1:1/v1")
      assert.include(stderr, "OPENAI_BASE_URL")
      assert.notInclude(stderr, "ollama")
    })
  )
})
