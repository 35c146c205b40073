import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { loadConfiguration } from "../../../src/services/configuration/ConfigurationFile.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** Loads with these files (relative to a fresh folder; the project is `project`) and this environment. */
const load = Effect.fnUntraced(function* (
  texts: Readonly<Record<string, string | Uint8Array>>,
  environment: Readonly<Record<string, string>> = {}
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* files.makeTempDirectoryScoped()
  yield* files.makeDirectory(path.join(root, "project"))
  yield* files.makeDirectory(path.join(root, "task-conductor"))
  for (const [name, text] of Object.entries(texts)) {
    yield* files.writeFile(path.join(root, name), typeof text === "string" ? new TextEncoder().encode(text) : text)
  }
  const provider = ConfigProvider.fromEnv({ env: environment })
  return yield* loadConfiguration(path.join(root, "project"), path.join(root, "task-conductor/config.json")).pipe(
    Effect.map(({ merged }) => merged),
    Effect.mapError((error) => error.message.replaceAll(root, "<root>")),
    Effect.provideService(ConfigProvider.ConfigProvider, provider)
  )
}, Effect.provide(NodeServices.layer))

describe("loadConfiguration", () => {
  nodeTest("sets nothing when there is no file", function* () {
    expect(yield* load({})).toStrictEqual({ limits: {}, allow: [], deny: [], fetchAllow: [], plugins: [] })
  })

  nodeTest("lets the user file win over the project file and the environment over both", function* () {
    const configuration = yield* load(
      {
        "project/task-conductor.json":
          '{"model":"from-project","parallel":1,"contextWindow":4096,"deny":["write_file"]}',
        "task-conductor/config.json": '{"model":"from-user","parallel":2,"host":"http://user:1"}'
      },
      { TASK_CONDUCTOR_MODEL: "from-environment", OLLAMA_HOST: "", OLLAMA_NUM_PARALLEL: "3" }
    )
    expect(configuration).toStrictEqual({
      model: "from-environment",
      parallel: 3,
      contextWindow: 4096,
      host: "http://user:1",
      limits: {},
      allow: [],
      deny: ["write_file"],
      fetchAllow: [],
      plugins: []
    })
  })

  nodeTest.each([
    [
      { "project/task-conductor.json": '{\n  "model": "x",\n}' },
      {},
      "<root>/project/task-conductor.json:3:1: property name expected."
    ],
    [
      { "task-conductor/config.json": new Uint8Array([0x7b, 0xff, 0x7d]) },
      {},
      "<root>/task-conductor/config.json: it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8."
    ],
    [
      {},
      { OLLAMA_NUM_PARALLEL: "many" },
      'OLLAMA_NUM_PARALLEL: must be a whole number between 1 and 64, but is "many".'
    ]
  ] as const)("names the place of what is wrong, and why: %j", function* ([files, environment, message]) {
    expect(yield* Effect.flip(load(files, environment))).toBe(message)
  })

  nodeTest("does not wait for a device or read a file without end", function* () {
    const files = yield* FileSystem.FileSystem
    const project = yield* files.makeTempDirectoryScoped()
    const failure = Effect.flip(loadConfiguration(project, undefined)).pipe(
      Effect.map((error) => error.message.replaceAll(project, "<project>")),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} }))
    )
    const file = `${project}/task-conductor.json`
    yield* files.symlink("/dev/null", file)
    expect(yield* failure).toBe(
      "<project>/task-conductor.json: it is a pipe, a device or made by the system. Put a regular file there."
    )
    yield* files.remove(file)
    yield* files.writeFileString(file, " ".repeat(1_048_577))
    expect(yield* failure).toBe("<project>/task-conductor.json: it is larger than 1048576 bytes. Make it smaller.")
  })
})
