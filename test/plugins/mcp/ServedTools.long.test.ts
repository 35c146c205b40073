import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Writable } from "node:stream"
import { Output } from "../../../src/cli/terminal/Output.ts"
import type { Configuration } from "../../../src/domain/configuration/Configuration.ts"
import { mcpServedTools } from "../../../src/plugins/mcp/ServedTools.ts"
import { environmentOf, scopedSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Script } from "../../support/FakeOllamaScript.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { liveTest } from "../../support/liveTest.ts"

/** Servers of folders of a sandbox, in this process; `serve` gives what calls the tools of one. */
const serving = Effect.fnUntraced(function* (script: Script) {
  const { root, write } = yield* scopedSandbox()
  const server = yield* FakeOllama.make(script)
  const env = environmentOf(root, { OLLAMA_HOST: server.url })
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = Output.layerOf({ env, stdin: {}, stdout: nowhere, stderr: nowhere })
  const here = <A, E>(work: Effect.Effect<A, E, NodeServices.NodeServices | Output>) =>
    work.pipe(
      Effect.provide(Layer.merge(NodeServices.layer, output)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
  const serve = Effect.fnUntraced(function* (folder: string, flags: Configuration = {}) {
    const project = join(root, folder)
    const tools = yield* here(mcpServedTools({ project, flags: { model: fakeModel, ...flags }, approveSteps: true }))
    return (name: string, given: Readonly<Record<string, string>>) =>
      here(
        tools
          .find((tool) => tool.name === name)!
          .execute(given as never, { report: () => Effect.void, choose: undefined })
      )
  })
  return { root, write, server, serve }
})

describe("diff and undo of a server", () => {
  const answers: Readonly<Record<string, string>> = {
    creation: planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
    refinement: refinementWith([
      { name: "edit_file", arguments: { path: "notes.md", old_text: "heron", new_text: "crane" } }
    ]),
    execution: resultSaying("Changed.")
  }

  liveTest("are about runs of the served project only, which `last` means as well", function* () {
    const { root, serve, write } = yield* serving(({ messages }) => answers[stageNameOf(messages)] ?? planOf([]))
    write("project/notes.md", "The word is heron.\n")
    write("other/notes.md", "The word is heron.\n")
    symlinkSync(join(root, "other"), join(root, "linked"))
    const other = yield* serve("other")
    const run = yield* other("run", { prompt: "Change notes.md." })
    const id = String(run.data["run_id"])
    assert.isFalse(run.isError, run.text)

    const served = yield* serve("project")
    for (const name of ["diff", "undo"]) {
      for (const run_id of [id, id.slice(0, -1)]) {
        const refused = yield* served(name, { run_id })
        assert.deepStrictEqual([refused.isError, refused.data], [true, { exit_code: 2 }])
        assert.strictEqual(
          refused.text.replaceAll(root, "<root>"),
          `The run ${id} belongs to another project than the one that is served here, <root>/project.`
        )
      }
      const none = yield* served(name, { run_id: "last" })
      assert.deepStrictEqual([none.isError, none.data], [true, { exit_code: 2 }])
      assert.match(none.text, /^The project that is served here, .*\/project, has no runs yet\.$/)
    }
    assert.include(readFileSync(join(root, "other/notes.md"), "utf8"), "crane")

    /* The folder of this process is another one; a link leads to the same project. */
    const linked = yield* serve("linked")
    assert.strictEqual((yield* linked("diff", { run_id: "last" })).data["run_id"], id)
    assert.deepStrictEqual((yield* other("undo", { run_id: "last" })).data["paths"], ["notes.md"])
    assert.include(readFileSync(join(root, "other/notes.md"), "utf8"), "heron")
  })
})

describe("the conversations of ask", () => {
  liveTest("are kept under their own id, however a client names them", function* () {
    const { serve, server } = yield* serving(() => "Hello.")
    const ask = yield* serve("project").pipe(
      Effect.map((call) => (given: Record<string, string>) => call("ask", given))
    )
    const first = yield* ask({ message: "I am Heron." })
    const id = first.data["conversation"]
    for (const conversation of [String(id).slice(0, -1), "1"]) {
      assert.strictEqual((yield* ask({ message: `Said to ${conversation}`, conversation })).data["conversation"], id)
    }
    yield* ask({ message: "Who?", conversation: "1" })
    const last = JSON.stringify(server.chats.at(-1))
    for (const text of ["I am Heron.", `Said to ${String(id).slice(0, -1)}`, "Said to 1"]) assert.include(last, text)
    const unknown = yield* ask({ message: "Who?", conversation: "20200101-000000-none" })
    assert.deepStrictEqual([unknown.isError, unknown.data], [true, { exit_code: 2 }])
  })

  liveTest("have no id where they are not kept", function* () {
    const { serve } = yield* serving(() => "Hello.")
    const call = yield* serve("project", { saveConversations: false })
    const { data, isError } = yield* call("ask", { message: "Hello?" })
    assert.deepStrictEqual([isError, data["answer"], data["conversation"]], [false, "Hello.", undefined])
  })

  liveTest("keep every message of those that come at once", function* () {
    const { serve, server } = yield* serving(() => "Hello.")
    const call = yield* serve("project")
    const conversation = String((yield* call("ask", { message: "I am Heron." })).data["conversation"])
    const said = ["The first.", "The second.", "The third."]
    yield* Effect.forEach(said, (message) => call("ask", { message, conversation }), { concurrency: "unbounded" })
    yield* call("ask", { message: "What did I say?", conversation })
    const last = JSON.stringify(server.chats.at(-1))
    for (const text of ["I am Heron.", ...said]) assert.include(last, text)
  })
})
