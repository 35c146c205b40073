/** What a new user meets: no model is named, or one that the server does not have. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { scopedSandbox } from "../../support/binary.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import type { FakeModel } from "../../support/FakeOllamaPaths.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { onServer } from "../../support/onServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

const embedding: FakeModel = { name: "nomic-embed-text:latest", capabilities: ["embedding"], size: 274_000_000 }
const qwen: FakeModel = { name: "qwen3:8b" }
const llama: FakeModel = { name: "llama3.2:3b", capabilities: ["completion", "tools"], size: 2_000_000_000 }
const cloud: FakeModel = { name: "gpt-oss:120b-cloud", remoteHost: "https://models.example" }
const old: FakeModel = { name: "old:7b", capabilities: ["completion"] }

/** Runs a command on a server with these models, where nobody has named one. */
const on = (
  models: ReadonlyArray<FakeModel>,
  words: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {}
) => onServer(sandbox, words, { models, env: { TASK_CONDUCTOR_MODEL: "", ...more } })

const commands = [["run"], ["run", "--json"], ["plan"], ["ask"]]

describe("without a name of a model and without a terminal", () => {
  liveTest("lists the models with the flag, and starts nothing, also where there is only one", function* () {
    for (const command of commands) {
      const { chats, code, stderr, stdout } = yield* on([embedding, cloud, llama, qwen], [...command, "hi"])
      assert.deepStrictEqual([code, stdout, chats.length], [2, "", 0])
      assert.deepStrictEqual(stderr.split("\n"), [
        'No model is chosen. Name one with --model, for example --model llama3.2:3b, or set TASK_CONDUCTOR_MODEL or "model" in <root>/config/task-conductor/config.json. The server at <server> has:',
        "  llama3.2:3b         2.0 GB  40960 tokens  tools",
        "  qwen3:8b            5.2 GB  40960 tokens  tools, thinking",
        "  gpt-oss:120b-cloud          40960 tokens  tools, thinking, forwards prompts to another server",
        ""
      ])
    }
    const { chats, code, stderr } = yield* on([qwen], ["run", "hi"])
    assert.deepStrictEqual([code, chats.length, stderr.includes("--model qwen3:8b")], [2, 0, true])
  })

  liveTest("names the configuration of the user by its place below their home folder", function* () {
    const { stderr } = yield* on([qwen], ["run", "hi"], { XDG_CONFIG_HOME: "" })
    assert.include(stderr, '"model" in ~/.config/task-conductor/config.json.')
  })

  liveTest("says how to get a model when the server has none that writes text", function* () {
    for (const models of [[], [embedding]]) {
      const { code, stderr, stdout } = yield* on(models, ["run", "hi"])
      assert.deepStrictEqual([code, stdout], [5, ""])
      assert.strictEqual(
        stderr,
        "The model server at <server> has no model that can write text. Get one, for example: ollama pull qwen3:8b (5 GB). Or try the built-in demo, which only searches and quotes: --model embedded\n"
      )
    }
  })

  liveTest("says what to do when there is no server", function* () {
    for (const command of commands) {
      const { code, stderr, stdout } = yield* on([], [...command, "hi"], { OLLAMA_HOST: "127.0.0.1:1" })
      assert.deepStrictEqual([code, stdout], [5, ""])
      assert.match(stderr, /^No model server answers at http:\/\/127\.0\.0\.1:1 \(.*--model embedded\.\n$/)
    }
  })

  liveTest("keeps nothing of a run that could not begin", function* () {
    yield* on([qwen], ["run", "hi"])
    const { stdout } = yield* on([qwen], ["runs", "--json"])
    assert.notInclude(stdout, "run_id")
    assert.isFalse(existsSync(`${sandbox.root}/home/.local/state/task-conductor/runs`))
  })
})

describe("the name of a model", () => {
  liveTest("may lack its tag when there is only one, and the user learns so", function* () {
    const { chats, stderr } = yield* on([qwen, llama], ["plan", "--model", "qwen3", "hi"])
    assert.include(stderr, "note: using qwen3:8b, the only installed tag of qwen3.\n")
    assert.isAtLeast(chats.length, 1)
    assert.deepStrictEqual([...new Set(chats.map(({ model }) => model))], ["qwen3:8b"])
  })

  const wrong: ReadonlyArray<[name: string, models: ReadonlyArray<FakeModel>, there: string, first: string]> = [
    ["qwen3:4b", [llama, qwen], ". Nearest there: qwen3:8b", "qwen3:8b"],
    ["gpt-oss", [cloud], ". Nearest there: gpt-oss:120b-cloud", "gpt-oss:120b-cloud"]
  ]
  liveTest("is answered with the nearest ones before a download, and begins nothing", function* () {
    for (const [name, models, there, first] of wrong)
      for (const command of ["run", "ask"]) {
        const { chats, code, stderr, stdout } = yield* on(models, [command, "--model", name, "hi"])
        const said = `The model "${name}" is not on the server${there}. Choose one, for example --model ${first}, or get it with "ollama pull ${name}".\n`
        assert.deepStrictEqual([code, stdout, stderr, chats.length], [5, "", said, 0])
      }
    const { stderr } = yield* on([], ["run", "--model", "zephyr", "hi"])
    const said = 'The model "zephyr" is not on the server, which has no model yet. Get it with "ollama pull zephyr".\n'
    assert.strictEqual(stderr, said)
  })
})

/** The program on a terminal, in a sandbox of its own. */
const walk = Effect.fnUntraced(function* (models: ReadonlyArray<FakeModel>, words: string) {
  const server = yield* FakeOllama.make(() => "Hello there.", { models })
  const own = yield* scopedSandbox()
  const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: server.url }
  const file = `${own.root}/config/task-conductor/config.json`
  return { server, file, own, ...(yield* conductAt(own, words, { columns: 120, env })) }
})

describe("a terminal without a name of a model", needsTerminal, () => {
  liveTest("offers the list, asks again after a wrong answer, saves the choice and goes on with it", function* () {
    const { file, own, sees, server, type } = yield* walk([old, llama, qwen], "ask hi")
    own.write("config/task-conductor/config.json", '{\n  "parallel": 1\n}')
    yield* sees("1  llama3.2:3b")
    yield* sees("Ctrl-D none: ")
    type("9\r")
    yield* sees("There is no such model in the list.")
    type("qwen3:8b\r")
    yield* sees("is saved as your model in")
    yield* sees("ended with 0")
    assert.deepStrictEqual([...new Set(server.chats.map(({ model }) => model))], ["qwen3:8b"])
    assert.strictEqual(readFileSync(file, "utf8"), '{\n  "parallel": 1,\n  "model": "qwen3:8b"\n}\n')
  })

  liveTest("uses the only model that fits without a question, says so and saves nothing", function* () {
    const { file, sees } = yield* walk([embedding, qwen], "ask hi")
    yield* sees("using qwen3:8b, because it is the only model of the server")
    yield* sees("ended with 0")
    assert.isFalse(existsSync(file))
  })

  liveTest(
    "asks for a model that is reached elsewhere even when it is the only one, and takes no for an answer",
    function* () {
      const { sees, server, type } = yield* walk([cloud], "ask hi")
      yield* sees("forwards prompts to another server")
      yield* sees("Ctrl-D none: ")
      type("\u0004")
      yield* sees("No model is chosen.")
      yield* sees("ended with 2")
      assert.deepStrictEqual(server.chats, [])
    }
  )
})
