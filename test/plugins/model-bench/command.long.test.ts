/** The comparison of models: what is measured, what is recommended, and that nothing of the user is changed. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import type { FakeModel } from "../../support/FakeOllamaPaths.ts"
import type { FakeToolCall, Reply } from "../../support/FakeOllamaReply.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { onServer } from "../../support/onServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

const plan = planOf([[{ name: "Search 1", skill: "search-code" }]])

const settings = "PARCEL_PORT, PARCEL_HOST, PARCEL_TOKEN"
const report = resultSaying(`${settings} are used in src/server.js.`)

const callsOf: Readonly<Record<string, ReadonlyArray<FakeToolCall & { arguments: object }>>> = {
  "Search 1": [{ name: "search_files", arguments: { pattern: "settings" } }],
  "Read 1": [{ name: "read_file", arguments: { path: "src/settings.js" } }],
  "Write 1": [{ name: "write_file", arguments: { path: "SETTINGS.md", content: `${settings}\n` } }]
}

const offersTools = ({ tools }: ChatBody): boolean => Array.isArray(tools) && tools.length > 0

/**
 * The big model plans well; the small one writes no plan, and refines and executes as well. `talker` only talks where it has to
 * write calls, `writer` only where it is offered tools.
 */
const answer = (body: ChatBody): Reply | string => {
  const { messages, model } = body
  const stage = stageNameOf(messages)
  const user = messages[1]?.content ?? ""
  const task = /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
  if (stage === "creation") return model === "small:1b" ? "I would look around first." : plan
  const cannot = model === "talker:8b" ? stage === "refinement" : model === "writer:8b" && offersTools(body)
  if (cannot) return "I would look around first."
  if (offersTools(body) && !messages.some(({ role }) => role === "tool")) return { toolCalls: callsOf[task] ?? [] }
  if (stage === "refinement") return refinementWith(callsOf[task] ?? [])
  return stage === "iteration" ? planOf([]) : report
}

const compare = (
  words: ReadonlyArray<string>,
  models: ReadonlyArray<FakeModel> = [{ name: "big:70b" }, { name: "small:1b" }]
) => onServer(sandbox, ["models", "bench", ...words], { script: answer, models, env: { TASK_CONDUCTOR_MODEL: "" } })

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("task-conductor-bench-"))

describe("models bench", () => {
  liveTest("tries all models, recommends one for each stage, and leaves nothing behind", function* () {
    const before = [readdirSync(sandbox.root, { recursive: true }).toSorted(), leftovers()]
    const { code, stderr, stdout } = yield* compare(["--json"])
    assert.strictEqual(code, 0, stderr)
    const { configuration, models, recommended } = JSON.parse(stdout)
    assert.strictEqual(recommended.plan, "big:70b")
    assert.strictEqual(configuration.model, recommended.task)
    const [big, small] = models
    assert.deepInclude(big.stages[0], { stage: "plan", documents: 3, valid_at: [3, 0, 0, 0, 0], broken: [] })
    assert.deepInclude(big.stages[1], { stage: "task", documents: 4, valid_at: [4, 0, 0, 0, 0] })
    assert.deepInclude(big.forms[0], { form: "text", tasks: 4, done: 4 })
    assert.deepInclude(big.forms[1], { form: "native", done: 4, calls: { all: 3, succeeded: 3 }, rejected: 0 })
    assert.deepEqual(big.better, { form: "text", why: "both forms did 4 of 4 tasks with 0 rejected answers" })
    assert.deepInclude(small.stages[0], { documents: 3, valid_at: [0, 0, 0, 0, 0] })
    assert.isAbove(small.stages[0].broken.length, 0)
    assert.deepInclude(small.forms[0], { done: 4, calls: { all: 3, succeeded: 3 } })
    assert.deepStrictEqual([readdirSync(sandbox.root, { recursive: true }).toSorted(), leftovers()], before)
  })

  liveTest("tries only what is named, and says on stderr what goes on", function* () {
    const { chats, code, stderr, stdout } = yield* compare(["big"])
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual([...new Set(chats.map(({ model }) => model))], ["big:70b"])
    assert.include(stderr, "Trying big:70b in a temporary project.")
    assert.match(stderr, /^\d+ s {2}big:70b {2}task "Read 1"$/m)
    assert.include(stdout, "big:70b\n  plans        3 at once")
    assert.include(stdout, 'In your configuration:\n{\n  "model": "big:70b"\n}\n')
  })

  liveTest("keeps native calls for a model that does better with them, and a run uses them", function* () {
    const file = join(sandbox.root, "config/task-conductor/config.json")
    writeFileSync(file, '{\n  "bell": false\n}\n')
    const both = [{ name: "talker:8b" }, { name: "writer:8b" }]
    const asked = yield* compare(["talker", "writer"], both)
    assert.strictEqual(asked.code, 0, asked.stderr)
    assert.include(asked.stdout, "  tool calls   native: 4 of 4 tasks done, with text 0\n")
    assert.include(asked.stdout, "  tool calls   text: 4 of 4 tasks done, with native 0\n")
    assert.include(asked.stdout, '"talker:8b": "native"')
    assert.notInclude(readFileSync(file, "utf8"), "native")

    const { code, stderr, stdout } = yield* compare(["--keep", "--json"], both)
    assert.strictEqual(code, 0, stderr)
    assert.deepEqual(JSON.parse(stdout).kept.native, ["talker:8b"])
    assert.include(stderr, 'under "modelToolCalls". Remove it there to go back to text.')
    assert.include(stderr, "writer:8b: text, as it is already; nothing is written.")
    const text = readFileSync(file, "utf8")
    assert.include(text, '"bell": false')
    assert.include(text, '"modelToolCalls": {\n    "talker:8b": "native"\n  }')

    // A run calls the tools of this model so, unless the user says otherwise.
    const offered = (words: ReadonlyArray<string>, model: string) =>
      onServer(sandbox, ["run", "--model", model, ...words, "Find it."], { script: answer, models: both }).pipe(
        Effect.map(({ chats }) => chats.some(offersTools))
      )
    assert.deepEqual(
      [
        yield* offered([], "talker:8b"),
        yield* offered(["--tool-calls", "text"], "talker:8b"),
        yield* offered([], "writer:8b")
      ],
      [true, false, false]
    )
  })

  for (const [host, ...words] of [["", "openai:tiny.gguf"], [""]] as const) {
    liveTest(`tries models of the OpenAI-compatible server that is set: ${words.join(" ")}`, function* () {
      const server = yield* FakeOpenAi.make(() => "I would look around first.", {
        models: [{ id: "tiny.gguf", meta: { n_ctx: 8192 } }]
      })
      const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: host, OPENAI_BASE_URL: server.url }
      const { code, stdout } = yield* Effect.promise(() => sandbox.run(["models", "bench", ...words], { env }))
      assert.strictEqual(code, 1, stdout)
      assert.match(stdout, /^openai:tiny\.gguf$/m)
      assert.notInclude(stdout, " 0 model calls")
    })
  }

  liveTest("never changes what the user set by hand", function* () {
    const file = join(sandbox.root, "config/task-conductor/config.json")
    const models = [{ name: "talker:8b" }]
    for (const [set, says] of [
      ['{ "modelToolCalls": { "talker:8b": "text" } }', "says text, which stays. native is better"],
      ['{ "toolCalls": "text" }', "says text, which comes first; nothing is written. native is better"]
    ] as const) {
      writeFileSync(file, set)
      const { code, stderr } = yield* compare(["--keep"], models)
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, says)
      assert.strictEqual(readFileSync(file, "utf8"), set)
    }
    rmSync(file)
    const contrary = yield* compare(["--keep", "--tool-calls", "native"], models)
    assert.deepStrictEqual([contrary.code, contrary.chats.length], [2, 0])
  })

  liveTest("tries text alone where the server says that a model takes no tools", function* () {
    const { chats, code, stderr, stdout } = yield* compare(["big"], [{ name: "big:70b", capabilities: ["completion"] }])
    assert.strictEqual(code, 0, stderr)
    assert.isFalse(chats.some(offersTools))
    assert.include(stdout, "  tool calls   text: its server says that it cannot take tools\n")
    assert.notInclude(stdout, "  native  ")
  })

  liveTest("says what cannot be tried before it begins", function* () {
    const wrong = yield* compare(["big", "smal:1b"])
    assert.deepStrictEqual([wrong.code, wrong.stdout, wrong.chats.length], [5, "", 0])
    assert.include(wrong.stderr, "Nearest there: small:1b.")
    const demo = yield* compare(["embedded"])
    assert.strictEqual(demo.code, 2)
    assert.strictEqual((yield* compare([], [])).code, 5)
    const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: "http://127.0.0.1:1" }
    const silent = yield* Effect.promise(() => sandbox.run(["models", "bench"], { env }))
    assert.deepStrictEqual([silent.code, silent.stdout], [5, ""])
    assert.match(silent.stderr, /^No model server answers at http:\/\/127\.0\.0\.1:1 /)
  })
})
