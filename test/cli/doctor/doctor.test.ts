/** What `doctor` and `task-conductor` alone say of machines with and without a server and models. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import type { Document, FakeModel } from "../../support/FakeOllamaPaths.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import { putLandlockPrograms } from "../../support/landlockPrograms.ts"
import { needs } from "../../support/needs.ts"
import { onServer } from "../../support/onServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

interface Machine {
  readonly models?: ReadonlyArray<FakeModel>
  readonly paths?: Readonly<Record<string, Document>>
  readonly model?: string
  readonly host?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Found {
  readonly can_start: boolean
  readonly findings: ReadonlyArray<{ name: string; state: string; what: string; remedy?: string }>
}

/** Runs a command on a machine; its server is `<server>` in what comes back. */
const on = ({ env = {}, host, model = "", models = [], paths = {} }: Machine, words: ReadonlyArray<string>) =>
  onServer(sandbox, words, {
    models,
    paths,
    env: { TASK_CONDUCTOR_MODEL: model, ...(host === undefined ? {} : { OLLAMA_HOST: host }), ...env }
  })

/** What `doctor --json` finds, by the names of the findings. */
const diagnosis = (machine: Machine, words: ReadonlyArray<string> = []) =>
  Effect.map(on(machine, ["doctor", "--json", ...words]), ({ code, stderr, stdout }) => {
    assert.strictEqual(stderr, "")
    const { can_start, findings } = JSON.parse(stdout) as Found
    assert.strictEqual(can_start, code === 0)
    return (name: string) =>
      findings
        .filter((one) => one.name === name)
        .map(({ remedy, state, what }) => (remedy === undefined ? [state, what] : [state, what, remedy]))
  })

const writeScript = (file: string, text: string) => {
  sandbox.write(file, `#!/bin/sh\n${text}`)
  chmodSync(join(sandbox.root, file), 0o755)
}

/** What `doctor` says of the checks of a project, and the word for one that can start here. */
const checksOf = (project: string) =>
  Effect.map(diagnosis(none, ["--project", join(sandbox.root, project)]), (found) => ({
    lines: found("checks").map(([state, what]) => `${state} ${what}`),
    starts: found("sandbox")[0]?.[0] === "ok" ? "starts" : "is installed"
  }))

const qwen: FakeModel = { name: "qwen3:8b" }
const none = { host: "127.0.0.1:1" }
const start =
  'Start it with "ollama serve", or get it from https://ollama.com/download. For a server elsewhere, set OLLAMA_HOST.'

describe("doctor", () => {
  liveTest("says what is missing without a server, with what to do", function* () {
    const found = yield* diagnosis(none)
    const [[state, what, remedy] = []] = found("server")
    assert.deepStrictEqual([state, remedy], ["problem", start])
    assert.include(what, "no answer from http://127.0.0.1:1 (")
    assert.deepStrictEqual(found("model"), [])
  })

  liveTest("says of another program at the address that the address is to be corrected", function* () {
    const paths = { "/api/version": { status: 404, body: "no such page" } }
    const [[state, what, remedy] = []] = (yield* diagnosis({ paths }))("server")
    assert.deepStrictEqual([state, what], ["problem", "<server> does not tell its version (HTTP 404: no such page)"])
    assert.match(remedy ?? "", /^No model server is at <server>: correct the address\. Check OLLAMA_HOST/)
  })

  liveTest("tells a server without a model from one where none is chosen, and from a wrong name", function* () {
    const getOne = ["the server has no model that can write text", "Get one, for example: ollama pull qwen3:8b (5 GB)."]
    assert.deepStrictEqual((yield* diagnosis({}))("model"), [["problem", ...getOne]])
    const [[, unchosen, remedy] = []] = (yield* diagnosis({ models: [qwen, { name: "llama3.2:3b" }] }))("model")
    assert.strictEqual(unchosen, "no model is chosen; the server has qwen3:8b, llama3.2:3b")
    assert.strictEqual(remedy, "Choose one for good: task-conductor init. Or for one run: --model NAME.")
    const [[, wrong] = []] = (yield* diagnosis({ models: [qwen] }, ["--model", "qwen3:4b"]))("model")
    assert.include(wrong, 'The model "qwen3:4b" is not on the server. Nearest there: qwen3:8b.')
  })

  liveTest("finds everything in order with a model that is there", function* () {
    const found = yield* diagnosis({ models: [qwen], model: "qwen3" })
    for (const [name, ...findings] of [
      ["server", ["ok", "Ollama 0.32.9 at <server>"]],
      ["model", ["ok", "qwen3:8b"], ["note", "Using qwen3:8b, the only installed tag of qwen3."]],
      ["abilities", ["ok", "writes text, calls tools, thinks"]],
      ["window", ["ok", "8192 tokens"]],
      ["saved runs", ["ok", "~/.local/state/task-conductor"]],
      ["configuration", ["ok", "none; task-conductor init writes <root>/config/task-conductor/config.json"]]
    ] as const)
      assert.deepStrictEqual<object>(found(name), findings)
    assert.deepStrictEqual([found("terminal")[0]?.[0], found("sandbox").length], ["note", 1])
    const [[, how] = []] = found("working copy")
    assert.match(how ?? "", /^changes are checked before they are made, in an? |^none: there is no sandbox \(/)
    assert.notInclude(readdirSync(join(sandbox.root, "home")), ".task-conductor-trial")
    assert.isFalse(existsSync(join(sandbox.root, "home/.local")))
  })

  liveTest(
    "says which checks of the project can start, and changes nothing",
    function* () {
      sandbox.write("checked/Makefile", "test:\n\ttrue\n")
      sandbox.write("checked/package.json", '{ "scripts": { "test": "touch made" } }')
      sandbox.write("checked/build.gradle", "")
      writeScript("checked/gradlew", "touch made\nexit 3\n")
      const { lines, starts } = yield* checksOf("checked")
      assert.include(lines, `ok npm test: npm ${starts}`)
      assert.include(lines, `ok make test: make ${starts}`)
      if (starts === "starts")
        assert.include(
          lines,
          "note ./gradlew test: ./gradlew does not start in the sandbox (exit code 3: touch: cannot touch 'made': Read-only file system)"
        )
      assert.isFalse(existsSync(join(sandbox.root, "checked/made")))
    },
    needs("make")
  )

  liveTest(
    "tries the checks as they can run here: by the environment of the project, in the folder of their package",
    function* () {
      for (const folder of ["python", "python/part"]) {
        sandbox.write(`${folder}/pyproject.toml`, "[tool.uv]\n[tool.pytest.ini_options]\n")
        writeScript(`${folder}/.venv/bin/python`, "echo pytest 9\n")
      }
      const { lines, starts } = yield* checksOf("python")
      assert.deepStrictEqual(lines, [
        `ok .venv/bin/python -m pytest: .venv/bin/python ${starts}`,
        `ok .venv/bin/python -m pytest in part/: .venv/bin/python ${starts}`
      ])
    }
  )

  liveTest("names a check of many packages once, and tries it with the listed hosts", function* () {
    const connecting = `require("node:net").connect(3128, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(7))`
    sandbox.write("many/build.gradle", "")
    writeScript("many/gradlew", `test -n "$HTTP_PROXY" && exec node -e '${connecting}'\n`)
    for (const one of ["a", "b"]) sandbox.write(`many/${one}/package.json`, '{ "scripts": { "test": "true" } }')
    sandbox.write("many/package.json", '{ "workspaces": ["a", "b"], "scripts": { "test": "true" } }')
    sandbox.write("config/task-conductor/config.json", '{ "sandbox": { "network": ["registry.example"] } }')
    const { lines, starts } = yield* checksOf("many")
    rmSync(join(sandbox.root, "config/task-conductor/config.json"))
    assert.includeMembers(lines, [`ok npm test: npm ${starts}`, `ok ./gradlew test: ./gradlew ${starts}`])
  })

  liveTest(
    "says what the weaker sandbox of a machine without bubblewrap leaves open",
    function* () {
      const programs = join(sandbox.root, "programs")
      mkdirSync(programs)
      putLandlockPrograms(programs)
      const { ended } = sandbox.start(["doctor", "--json"], { env: { PATH: programs } })
      const { stdout } = yield* Effect.promise(() => ended)
      const { findings } = JSON.parse(stdout) as Found
      const found = findings.find(({ name }) => name === "sandbox")
      assert.strictEqual(found?.state, "note")
      assert.match(
        found?.what ?? "",
        /^Landlock, since bubblewrap is not installed: no network, .*\. It can end your other/
      )
      assert.include(found?.remedy, "install bubblewrap")
      assert.isFalse(existsSync(join(sandbox.root, "home/.local")))
    },
    needs("landlock", "python3")
  )

  liveTest("notes a model without tools, a window that is lowered, and one that is loaded anew", function* () {
    const models = [{ name: "old", capabilities: ["completion"], contextLength: 2048 }, qwen]
    const old = yield* diagnosis({ models, model: "old" })
    assert.strictEqual(old("abilities")[0]?.[1], 'writes text, does not think, calls no tools, which "ask" needs')
    assert.include(old("window")[0]?.[1], "lowered from 8192 to 2048 tokens")
    const ps = { models: [{ name: "qwen3:8b", size: 1, size_vram: 1, context_length: 4096 }] }
    const loaded = yield* diagnosis({ models, model: "qwen3:8b", paths: { "/api/ps": { status: 200, body: ps } } })
    assert.deepStrictEqual(loaded("window"), [
      ["note", "8192 tokens; the server loaded it with 4096; it reloads it for the first call"]
    ])
  })

  liveTest("needs no server for the demo, and says what it is", function* () {
    const found = yield* diagnosis({ ...none, model: "embedded" })
    assert.deepStrictEqual(found("server"), [["ok", "not needed by the built-in demo"]])
    assert.strictEqual(found("model")[0]?.[0], "note")
  })

  liveTest("reports a configuration that cannot be read with its place", function* () {
    sandbox.write("broken/task-conductor.json", '{ "modle": "x" }')
    const found = yield* diagnosis(none, ["--project", "../broken"])
    assert.deepStrictEqual(found("configuration"), [
      ["problem", '<root>/broken/task-conductor.json:1:3: unknown key "modle". Nearest: model.']
    ])
  })

  liveTest("finds that runs cannot be saved", function* () {
    sandbox.write("state", "a file in the place of a folder")
    const env = { XDG_STATE_HOME: join(sandbox.root, "state") }
    const [[state, what] = []] = (yield* diagnosis({ ...none, model: "embedded", env }))("saved runs")
    assert.deepStrictEqual(
      [state, what],
      [
        "problem",
        "<root>/state is not a folder that you can write to, so no run can be saved in <root>/state/task-conductor"
      ]
    )
  })
})

liveTest("task-conductor alone says what is missing and one command to try", function* () {
  const cases: ReadonlyArray<readonly [Machine, ...ReadonlyArray<string>]> = [
    [
      none,
      "Missing: server: no answer from http://127.0.0.1:1 (",
      start,
      "Try:     task-conductor run --model embedded "
    ],
    [{}, "Found:   server: Ollama 0.32.9 at <server>.\nMissing: model: the server has no model that can", " Get"],
    [{ models: [qwen] }, "Missing: model: no model is chosen; ", 'run --model qwen3:8b "What does'],
    [{ models: [qwen], model: "qwen3:8b" }, 'Found:   model: qwen3:8b.\n\nTry:     task-conductor run "What']
  ]
  for (const [machine, ...parts] of cases) {
    const { code, stderr, stdout } = yield* on(machine, [])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^task-conductor \d+\.\d+\.\d+ makes local language models do long work reliably\.\n/)
    for (const part of parts) assert.include(stdout, part)
    assert.isBelow(stdout.split("\n").length, 15)
  }
})

describe("models", () => {
  liveTest("lists what the server has, and marks what the configuration uses", function* () {
    const models = [qwen, { name: "embed", capabilities: ["embedding"], size: 270_000_000 }]
    const { code, stdout } = yield* on({ models, model: "qwen3:8b" }, ["models"])
    assert.deepStrictEqual(
      [code, stdout],
      [0, "* qwen3:8b  5.2 GB  40960 tokens  tools, thinking\n  embed     270 MB  40960 tokens  cannot write text\n"]
    )
    const json = yield* on({ models, model: "embedded" }, ["models", "--json"])
    const unloaded = { modelfile_window: null, loaded_window: null, loaded_bytes: null, gpu_bytes: null }
    const lacks = { completion: false, tools: false, thinking: false, forwarded: false }
    const found = { name: "embed", size: 270_000_000, supported_window: 40_960, ...lacks, ...unloaded }
    assert.deepStrictEqual(JSON.parse(json.stdout)[1], found)
  })

  liveTest("says how to get one when there is none, and what to do without a server", function* () {
    const empty = yield* on({}, ["models"])
    assert.deepStrictEqual([empty.code, empty.stdout], [0, ""])
    assert.include(empty.stderr, "ollama pull qwen3:8b")
    const silent = yield* on(none, ["models"])
    assert.deepStrictEqual([silent.code, silent.stdout], [5, ""])
    assert.include(silent.stderr, 'Start it with "ollama serve"')
  })
})

liveTest("models lists those of the server that somebody named, and of Ollama when both are", function* () {
  const openAi = yield* FakeOpenAi.make(() => "", { models: [{ id: "tiny.gguf", meta: { n_ctx: 8192 } }] })
  const env = { OPENAI_BASE_URL: openAi.url }
  const one = yield* on({ host: "", env }, ["models", "--json"])
  assert.deepStrictEqual([one.stdout.includes('"openai:tiny.gguf"'), one.stdout.includes("qwen3")], [true, false])
  const both = yield* on({ models: [qwen], env }, ["models", "--json"])
  assert.deepStrictEqual([both.stdout.includes('"qwen3:8b"'), both.stdout.includes("tiny.gguf")], [true, false])
})

describe("doctor, for a server of the API of OpenAI", () => {
  const model = "openai:tiny"

  liveTest("asks that server, and says its window", function* () {
    const { url } = yield* FakeOpenAi.make(() => "never", { models: [{ id: "tiny", max_model_len: 16_384 }] })
    const found = yield* diagnosis({ ...none, model, env: { OPENAI_BASE_URL: url } })
    assert.deepStrictEqual(found("server"), [["ok", `the API of OpenAI at ${url}, with 1 model`]])
    assert.deepStrictEqual(found("model"), [["ok", model]])
    assert.include(found("window")[0]?.[1], "16384 tokens")
  })

  liveTest("says what to set when none answers", function* () {
    const found = yield* diagnosis({ model, env: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } })
    const [[state, what, remedy] = []] = found("server")
    assert.deepStrictEqual([state, what], ["problem", "no answer from http://127.0.0.1:1/v1 (ECONNREFUSED)"])
    assert.include(remedy, "OPENAI_BASE_URL")
  })
})
