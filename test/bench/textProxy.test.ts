/**
 * The proxy before a real server replaces the text of answers, and nothing else.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FakeOllama } from "../support/FakeOllama.ts"
import { FakeOpenAi } from "../support/FakeOpenAi.ts"

const answers = { task: ["The first answer, which is long.", "The second."] }

const proxyOf = (server: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "text-proxy-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const file = join(folder, "answers.json")
    writeFileSync(file, JSON.stringify(answers))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, ["bench/textProxy.ts", "--server", server, "--answers", file])),
      (started) => Effect.sync(() => started.kill())
    )
    const [address] = yield* Effect.promise(() => once(child.stdout, "data") as Promise<[Buffer]>)
    return address.toString().trim()
  })

const post = (url: string, body: object, signal?: AbortSignal) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) })
  )

const messages = [{ role: "system", content: "Rules.\n\n# Stage: task\n" }]

/** What stands in lines of both APIs. */
interface Said {
  readonly message?: { readonly content?: string }
  readonly choices?: ReadonlyArray<{ readonly delta?: { readonly content?: string } }>
}

const objects = (text: string): ReadonlyArray<Said> =>
  text.split("\n").flatMap((line) => {
    const json = line.replace(/^data: /, "")
    return json.startsWith("{") ? [JSON.parse(json)] : []
  })

describe("the proxy that replaces text", () => {
  it.live("keeps pieces and counts of Ollama, and gives the answers of a stage in order", () =>
    Effect.gen(function* () {
      const server = yield* FakeOllama.make(() => ({ text: "a b c d e f g h", promptTokens: 77, answerTokens: 8 }))
      const url = yield* proxyOf(server.url)
      const chat = { model: "qwen3:8b", messages, format: {}, options: { num_ctx: 4096, num_predict: 900 } }
      for (const text of [...answers.task, "The second."]) {
        const lines = objects(
          yield* Effect.promise(() =>
            post(`${url}/api/chat`, chat)
              .pipe(Effect.runPromise)
              .then((said) => said.text())
          )
        )
        assert.strictEqual(lines.map(({ message }) => message?.content ?? "").join(""), text)
        assert.containsSubset(lines.at(-1), { done: true, done_reason: "stop", prompt_eval_count: 77, eval_count: 8 })
      }
      assert.deepStrictEqual(server.chats[0]?.options, { num_ctx: 4096, num_predict: 8 })
      assert.notProperty(server.chats[0], "format")
    }).pipe(Effect.scoped)
  )

  it.live("does so for the API of OpenAI, and passes on what belongs to no stage", () =>
    Effect.gen(function* () {
      const server = yield* FakeOpenAi.make(() => ({ text: "a b c", promptTokens: 5, answerTokens: 3 }))
      const url = yield* proxyOf(server.url.replace(/\/v1$/, ""))
      const said = (given: ReadonlyArray<object>) =>
        Effect.map(
          Effect.flatMap(
            post(`${url}/v1/chat/completions`, { model: "tiny", messages: given, stream: true }),
            (answer) => Effect.promise(() => answer.text())
          ),
          (text) =>
            objects(text)
              .map(({ choices }) => choices?.[0]?.delta?.content ?? "")
              .join("")
        )
      assert.strictEqual(yield* said(messages), answers.task[0])
      assert.strictEqual(yield* said([{ role: "user", content: "hello" }]), "a b c")
    }).pipe(Effect.scoped)
  )

  it.live("leaves a call at the server that is left", () =>
    Effect.gen(function* () {
      const server = yield* FakeOllama.make(() => ({ text: "a b c", holdAfter: { lines: 1, latch: "never" } }))
      const url = yield* proxyOf(server.url)
      const left = new AbortController()
      yield* post(`${url}/api/chat`, { model: "qwen3:8b", messages, options: {} }, left.signal)
      left.abort()
      yield* server.until(() => server.abortedCount() === 1)
    }).pipe(Effect.scoped)
  )
})
