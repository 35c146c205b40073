/**
 * What a new user meets: no model is named, or one that the server does not have, with and without a server and a
 * terminal.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { environmentOf, makeSandbox, program } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import type { FakeModel } from "../../support/FakeOllamaPaths.ts"
import { inProcess } from "../../support/inProcess.ts"
import { needsTerminal, openTerminal } from "../../support/PseudoTerminal.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

const embedding: FakeModel = { name: "nomic-embed-text:latest", capabilities: ["embedding"], size: 274_000_000 }
const qwen: FakeModel = { name: "qwen3:8b" }
const llama: FakeModel = { name: "llama3.2:3b", capabilities: ["completion", "tools"], size: 2_000_000_000 }
const cloud: FakeModel = { name: "gpt-oss:120b-cloud", remoteHost: "https://models.example" }
const old: FakeModel = { name: "old:7b", capabilities: ["completion"] }

/** Runs a command on a server with these models, where nobody has named one. */
const on = (models: ReadonlyArray<FakeModel>, words: ReadonlyArray<string>, host?: string) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(() => "No plan.", { models })
    const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: host ?? server.url }
    const ended = yield* Effect.promise(() => sandbox.run(words, { env }))
    return { ...ended, stderr: ended.stderr.replaceAll(server.url, "<server>"), chats: server.chats }
  }).pipe(Effect.scoped)

const commands = [
  ["run", "hi"],
  ["run", "--json", "hi"],
  ["plan", "hi"],
  ["ask", "hi"]
]

describe("without a name of a model and without a terminal", () => {
  for (const words of commands) {
    it.live(`lists the models with the flag, and starts nothing: ${words.join(" ")}`, () =>
      Effect.gen(function* () {
        const { chats, code, stderr, stdout } = yield* on([embedding, cloud, llama, qwen], words)
        assert.deepStrictEqual([code, stdout, chats.length], [2, "", 0])
        assert.deepStrictEqual(stderr.split("\n"), [
          'No model is chosen. Name one with --model, for example --model llama3.2:3b, or set TASK_CONDUCTOR_MODEL or "model" in <root>/config/task-conductor/config.json. The server at <server> has:',
          "  llama3.2:3b         2.0 GB  40960 tokens  tools",
          "  qwen3:8b            5.2 GB  40960 tokens  tools, thinking",
          "  gpt-oss:120b-cloud          40960 tokens  tools, thinking, forwards prompts to another server",
          ""
        ])
      })
    )
  }

  it.live(
    "also asks for a name when there is only one model, so that a script does not depend on what is installed",
    () =>
      Effect.gen(function* () {
        const { chats, code, stderr } = yield* on([qwen], ["run", "hi"])
        assert.deepStrictEqual([code, chats.length], [2, 0])
        assert.include(stderr, "--model qwen3:8b")
      })
  )

  it.live("names the configuration of the user by its place below their home folder", () =>
    Effect.gen(function* () {
      const server = yield* FakeOllama.make(() => "No plan.", { models: [qwen] })
      const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: server.url, XDG_CONFIG_HOME: "" }
      const { stderr } = yield* Effect.promise(() => sandbox.run(["run", "hi"], { env }))
      assert.include(stderr, '"model" in ~/.config/task-conductor/config.json.')
    }).pipe(Effect.scoped)
  )

  it.live("says how to get a model when the server has none that writes text", () =>
    Effect.gen(function* () {
      for (const models of [[], [embedding]]) {
        const { code, stderr, stdout } = yield* on(models, ["run", "hi"])
        assert.deepStrictEqual(
          [code, stdout, stderr],
          [
            5,
            "",
            "The model server at <server> has no model that can write text. Get one, for example: ollama pull qwen3:8b (5 GB). Or try the built-in demo, which only searches and quotes: --model embedded\n"
          ]
        )
      }
    })
  )

  it.live("says what to do when there is no server", () =>
    Effect.gen(function* () {
      for (const words of commands) {
        const { code, stderr, stdout } = yield* on([], words, "127.0.0.1:1")
        assert.deepStrictEqual([code, stdout], [5, ""])
        assert.match(stderr, /^No model server answers at http:\/\/127\.0\.0\.1:1 \(.*--model embedded\.\n$/)
      }
    })
  )

  it.live("keeps nothing of a run that could not begin", () =>
    Effect.gen(function* () {
      yield* on([qwen], ["run", "hi"])
      const { stdout } = yield* on([qwen], ["runs", "--json"])
      assert.notInclude(stdout, "run_id")
      assert.isFalse(existsSync(`${sandbox.root}/home/.local/state/task-conductor/runs`))
    })
  )
})

describe("the name of a model", () => {
  it.live("may lack its tag when there is only one, and the user learns so", () =>
    Effect.gen(function* () {
      const { chats, stderr } = yield* on([qwen, llama], ["plan", "--model", "qwen3", "hi"])
      assert.include(stderr, "note: using qwen3:8b, the only installed tag of qwen3.\n")
      assert.isAtLeast(chats.length, 1)
      assert.deepStrictEqual([...new Set(chats.map(({ model }) => model))], ["qwen3:8b"])
    })
  )

  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<FakeModel>, string]> = [
    [
      "qwen3:4b",
      [llama, qwen],
      'The model "qwen3:4b" is not on the server. Nearest there: qwen3:8b. Choose one, for example --model qwen3:8b, or get it with "ollama pull qwen3:4b".'
    ],
    [
      "llama3.2",
      [llama, { name: "llama3.2:1b" }, qwen],
      'The model "llama3.2" is not on the server. Nearest there: llama3.2:3b, llama3.2:1b. Choose one, for example --model llama3.2:3b, or get it with "ollama pull llama3.2".'
    ],
    [
      "zephyr",
      [qwen, llama],
      'The model "zephyr" is not on the server, which has: qwen3:8b, llama3.2:3b. Choose one, for example --model qwen3:8b, or get it with "ollama pull zephyr".'
    ],
    [
      "zephyr",
      [],
      'The model "zephyr" is not on the server, which has no model yet. Get it with "ollama pull zephyr".'
    ],
    [
      "gpt-oss",
      [cloud],
      'The model "gpt-oss" is not on the server. Nearest there: gpt-oss:120b-cloud. Choose one, for example --model gpt-oss:120b-cloud, or get it with "ollama pull gpt-oss".'
    ]
  ]
  for (const [name, models, said] of wrong) {
    it.live(`names the nearest ones before a download: ${name} of ${models.length}`, () =>
      Effect.gen(function* () {
        for (const command of ["run", "ask"]) {
          const { chats, code, stderr, stdout } = yield* on(models, [command, "--model", name, "hi"])
          assert.deepStrictEqual([code, stdout, stderr, chats.length], [5, "", `${said}\n`, 0])
        }
      })
    )
  }
})

/** The program on a terminal, in a sandbox of its own. */
const walk = Effect.fnUntraced(function* (models: ReadonlyArray<FakeModel>, words: string) {
  const server = yield* FakeOllama.make(() => "Hello there.", { models })
  const own = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  const env = environmentOf(own.root, { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: server.url, TERM: "xterm" })
  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openTerminal(`${process.execPath} ${program} ${words}; echo "ended with $?"; read line`, {
        columns: 120,
        cwd: `${own.root}/project`,
        env
      })
    ),
    ({ close }) => Effect.sync(close)
  )
  const file = `${own.root}/config/task-conductor/config.json`
  return { server, terminal, file, own, sees: (text: string) => Effect.promise(() => terminal.shows(text)) }
})

describe("a terminal without a name of a model", needsTerminal, () => {
  it.live("offers the list, asks again after a wrong answer, saves the choice and goes on with it", () =>
    Effect.gen(function* () {
      const { file, own, sees, server, terminal } = yield* walk([old, llama, qwen], "ask hi")
      own.write(
        "config/task-conductor/config.json",
        "{\n  // nothing\n}".replace("  // nothing\n", '  "parallel": 1\n')
      )
      yield* sees("1  llama3.2:3b")
      yield* sees("Ctrl-D none: ")
      terminal.type("9\r")
      yield* sees("There is no such model in the list.")
      terminal.type("qwen3:8b\r")
      yield* sees("is saved as your model in")
      yield* sees("ended with 0")
      assert.deepStrictEqual([...new Set(server.chats.map(({ model }) => model))], ["qwen3:8b"])
      assert.strictEqual(readFileSync(file, "utf8"), '{\n  "parallel": 1,\n  "model": "qwen3:8b"\n}\n')
    }).pipe(Effect.scoped)
  )

  it.live("uses the only model that fits without a question, says so and saves nothing", () =>
    Effect.gen(function* () {
      const { file, sees } = yield* walk([embedding, qwen], "ask hi")
      yield* sees("using qwen3:8b, because it is the only model of the server")
      yield* sees("ended with 0")
      assert.isFalse(existsSync(file))
    }).pipe(Effect.scoped)
  )

  it.live("asks for a model that is reached elsewhere even when it is the only one, and takes no for an answer", () =>
    Effect.gen(function* () {
      const { sees, server, terminal } = yield* walk([cloud], "ask hi")
      yield* sees("forwards prompts to another server")
      yield* sees("Ctrl-D none: ")
      terminal.type("\u0004")
      yield* sees("No model is chosen.")
      yield* sees("ended with 2")
      assert.deepStrictEqual(server.chats, [])
    }).pipe(Effect.scoped)
  )
})
