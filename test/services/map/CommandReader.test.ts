import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readProjectCommands } from "../../../src/services/map/CommandReader.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const files = {
  "package.json": JSON.stringify({ scripts: { test: "node --test" } }),
  "src/a.js": "",
  ".env": "SECRET=1\n"
}

const read = Effect.fnUntraced(function* (mayRead: boolean) {
  const root = yield* makeProject(files)
  return yield* Effect.provide(
    readProjectCommands(() => Effect.succeed(mayRead)),
    Workspace.layer(root)
  )
})

describe("readProjectCommands", () => {
  nodeTest("gives the files of a project and the commands that its manifests name", () =>
    Effect.gen(function* () {
      const found = yield* read(true)
      assert.deepStrictEqual(found.files, ["package.json", "src/a.js"])
      assert.deepInclude(found.commands[0], { run: "npm test", from: "package.json" })
    })
  )

  nodeTest("reads no manifest that rules keep from being read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read(false)).commands, [])
    })
  )
})
