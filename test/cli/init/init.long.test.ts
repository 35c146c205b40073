import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { onServer } from "../../support/onServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

const own = join(sandbox.root, "config/task-conductor/config.json")
const ofProject = join(sandbox.root, "project/task-conductor.json")
const models = [{ name: "qwen3:8b" }, { name: "llama3.2:3b" }]

const init = (...words: ReadonlyArray<string>) =>
  onServer(sandbox, ["init", ...words], { models, env: { TASK_CONDUCTOR_MODEL: "" } })

const written = (file: string): unknown => {
  const text = JSON.parse(readFileSync(file, "utf8"))
  rmSync(file)
  return text
}

describe("init without a terminal", () => {
  liveTest("writes what the flags say, for the user or for the project, once", function* () {
    const mine = yield* init("--for", "me", "--model", "qwen3", "--context-window", "16384")
    assert.deepStrictEqual([mine.code, mine.stdout], [0, "Written: <root>/config/task-conductor/config.json\n"])
    assert.include(mine.stderr, "Using qwen3:8b, the only installed tag of qwen3.")
    const again = yield* init("--for", "me", "--model", "llama3.2:3b")
    assert.deepStrictEqual([again.code, again.stdout], [2, ""])
    assert.include(again.stderr, "<root>/config/task-conductor/config.json exists and is not overwritten.")
    assert.deepStrictEqual(written(own), { model: "qwen3:8b", contextWindow: 16_384 })

    const all = yield* init("--for", "project", "--model", "llama3.2:3b")
    assert.deepStrictEqual([all.code, all.stdout], [0, "Written: <root>/project/task-conductor.json\n"])
    assert.deepStrictEqual(written(ofProject), { model: "llama3.2:3b" })
  })

  liveTest("says which flags are missing, and writes nothing", function* () {
    const whose = yield* init("--model", "qwen3:8b")
    assert.strictEqual(whose.code, 2)
    assert.include(whose.stderr, "Say whose configuration it is: --for me, or --for project.")
    const which = yield* init("--for", "me")
    assert.strictEqual(which.code, 2)
    assert.include(which.stderr, "--model qwen3:8b")
    const wrong = yield* init("--for", "me", "--model", "qwen3:4b")
    assert.strictEqual(wrong.code, 5)
    const elsewhere = yield* init("--for", "project", "--model", "qwen3:8b", "--host", "elsewhere:1")
    assert.strictEqual(elsewhere.code, 2)
    assert.include(elsewhere.stderr, "a project cannot choose where prompts are sent")
    assert.deepStrictEqual([existsSync(own), existsSync(ofProject)], [false, false])
  })

  it("writes the demo, and the name of a model whose server does not answer", async () => {
    assert.strictEqual((await sandbox.run(["init", "--for", "me", "--model", "embedded"])).code, 0)
    assert.deepStrictEqual(written(own), { model: "embedded" })
    const words = ["init", "--for", "me", "--model", "qwen3:8b", "--host", "127.0.0.1:2"]
    assert.strictEqual((await sandbox.run(words)).code, 0)
    assert.deepStrictEqual(written(own), { model: "qwen3:8b", host: "127.0.0.1:2" })
  })
})

it("says why nothing can be written, without an error of the program", async () => {
  sandbox.write("blocked", "")
  sandbox.write("own/task-conductor", "")
  for (const [folder, why] of [
    ["blocked", "A part of the path is a file, not a folder."],
    ["own", "Something else is there."]
  ] as const) {
    const env = { XDG_CONFIG_HOME: join(sandbox.root, folder) }
    const { code, stderr, stdout } = await sandbox.run(["init", "--for", "me", "--model", "embedded"], { env })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.include(stderr, `${folder}/task-conductor/config.json cannot be written. ${why}\n`)
  }
})

describe("init at a terminal", needsTerminal, () => {
  liveTest("asks whose it is and which model, and writes the answers", function* () {
    const server = yield* FakeOllama.make(() => "never", { models })
    const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: server.url }
    const { sees, type } = yield* conductAt(sandbox, "init", { env })
    yield* sees("Enter takes 1, Ctrl-D none: ")
    type("project\r")
    yield* sees("1  qwen3:8b")
    yield* sees("1 to 2 or a name")
    type("2\r")
    yield* sees("ended with 0")
    assert.deepStrictEqual(written(ofProject), { model: "llama3.2:3b" })
  })
})
