/**
 * A project may prefer a model of the user's own server, but cannot have prompts sent to another one: only the user
 * chooses a model that is reached there.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { fitSetup } from "../../src/app/modelChoice.ts"
import { readSetup } from "../../src/app/setup.ts"
import type { Configuration } from "../../src/domain/configuration/Configuration.ts"
import { environmentOf } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { makeFolder, putFiles } from "../support/Project.ts"
import { liveTest } from "../support/liveTest.ts"
import { nodeTest } from "../support/nodeTest.ts"

interface Given {
  readonly project?: string
  readonly user?: string
  readonly environment?: string
  readonly flag?: string
}

const file = (model: string | undefined) => JSON.stringify(model === undefined ? {} : { model })

/** The setup of a run in a project whose file names a model, with its window when a server is given. */
const setupOf = Effect.fnUntraced(function* ({ environment, flag, project, user }: Given, host = "127.0.0.1:1") {
  const root = yield* makeFolder
  yield* putFiles(root, {
    "project/task-conductor.json": file(project),
    "config/task-conductor/config.json": file(user),
    "home/.keep": ""
  })
  const env = environmentOf(root, { OLLAMA_HOST: host, TASK_CONDUCTOR_MODEL: environment ?? "" })
  const flags: Configuration = flag === undefined ? {} : { model: flag }
  return yield* readSetup(`${root}/project`, flags).pipe(
    Effect.flatMap((setup) => (host.startsWith("http") ? fitSetup(setup, {}) : Effect.succeed({ setup }))),
    Effect.map(({ setup }) => ({ model: setup.settings.model, notes: setup.folders.notes.join("\n") })),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )
}, Effect.provide(NodeServices.layer))

describe("a model that a project names", () => {
  nodeTest("is not used unasked when it is reached on another server", function* () {
    for (const model of ["gpt-oss:120b-cloud", "GLM-4.6:CLOUD"]) {
      const setup = yield* setupOf({ project: model })
      assert.strictEqual(setup.model, "embedded", model)
      assert.include(
        setup.notes,
        `chooses the model ${model}, with which your server sends all prompts to another server`
      )
    }
  })

  nodeTest("is not used unasked when it is one of another server", function* () {
    const setup = yield* setupOf({ project: "openai:gpt-5" })
    assert.strictEqual(setup.model, "embedded")
    assert.include(setup.notes, "chooses the model openai:gpt-5, whose server, which you have set, gets all prompts")
    const own = yield* setupOf({ project: "openai:gpt-5", user: "openai:gpt-5" })
    assert.deepStrictEqual(own, { model: "openai:gpt-5", notes: "" })
  })

  nodeTest("is used when the user chooses it, wherever they do", function* () {
    const model = "gpt-oss:120b-cloud"
    for (const own of [{ user: model }, { environment: model }, { flag: model }]) {
      assert.deepStrictEqual(yield* setupOf({ project: model, ...own }), { model, notes: "" })
    }
  })

  nodeTest("is used without a word when it is on the server, and loses against what the user chose", function* () {
    assert.deepStrictEqual(yield* setupOf({ project: "qwen3:8b" }), { model: "qwen3:8b", notes: "" })
    assert.strictEqual((yield* setupOf({ project: "x:cloud", user: "qwen3:8b" })).model, "qwen3:8b")
  })

  liveTest("is refused when the server says that it forwards prompts, whatever its name", function* () {
    const alias = { name: "harmless:8b", remoteHost: "https://models.example" }
    const server = yield* FakeOllama.make(() => "never", { models: [alias, { name: "qwen3:8b" }] })
    const refused = yield* Effect.flip(setupOf({ project: "harmless:8b" }, server.url))
    assert.include(refused.message, "the model harmless:8b is forwarded to another server with all prompts")
    for (const given of [{ flag: "harmless:8b" }, { project: "qwen3:8b" }]) yield* setupOf(given, server.url)
    assert.deepStrictEqual(server.chats, [])
  })
})
