/**
 * The command line with a server that speaks the API of OpenAI: plans, runs, conversations and resumed runs reach it with
 * the key of the user, in the window that it has, and errors say what to check.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../../src/index.ts"
import { makeSandbox } from "../../support/binary.ts"
import {
  type CompletionBody,
  FakeOpenAi,
  type FakeOpenAiOptions,
  fakeOpenAiModel,
  type OpenAiScript
} from "../../support/FakeOpenAi.ts"
import type { FakeServerOf } from "../../support/FakeServer.ts"
import { inProcess } from "../../support/inProcess.ts"
import { noonAnswer, testSkills } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"

const sandbox = Effect.acquireRelease(
  Effect.sync(() => {
    const made = inProcess(makeSandbox())
    for (const [path, text] of Object.entries(testSkills)) made.write(`project/${path}`, text)
    return made
  }),
  ({ remove }) => Effect.sync(remove)
)

/** Does the work of one task. */
const obedient: OpenAiScript = ({ messages }) => noonAnswer(stageNameOf(messages))

const key = "sk-hush-1234567890"
const model = `openai:${fakeOpenAiModel}`
const ask = ["--model", model, "What time is it?"]
const env = ({ url }: FakeServerOf<CompletionBody>) => ({ env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } })
const serve = (script: OpenAiScript = obedient, options: FakeOpenAiOptions = {}) =>
  FakeOpenAi.make(script, { key, ...options })

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

  it.live("answers a run, which can be shown and goes on where it is resumed, and its key is written nowhere", () =>
    Effect.gen(function* () {
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
    })
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

  it.live.each([
    ["no more than the server has", { meta: { n_ctx: 6000 } }, [], 1500, "lowered from 8192 to 6000"],
    ["as large as the server has it", { max_model_len: 32_768 }, [], 2048, "is 32768 tokens"],
    ["the default", {}, [], 2048, undefined],
    ["what the user set", {}, ["--context-window", "4096"], 1024, undefined]
  ] as const)("has a window that is %s", ([, listed, flags, maxTokens, note]) =>
    Effect.gen(function* () {
      const { run: start } = yield* sandbox
      const server = yield* serve(obedient, { models: [{ id: fakeOpenAiModel, ...listed }] })
      const { code, stderr } = yield* Effect.promise(() => start(["run", ...flags, ...ask], env(server)))
      assert.strictEqual(code, 0)
      assert.isTrue(
        server.chats.every(({ max_tokens, temperature }) => Number(max_tokens) >= maxTokens && !temperature)
      )
      if (note === undefined) assert.notInclude(stderr, "context window")
      else assert.include(stderr, note)
    })
  )

  it.live("is the user's to choose: not that of a project, nor an address with a key in it", () =>
    Effect.gen(function* () {
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
