import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { StateFolder, userFolders } from "../../../src/services/configuration/UserFolders.ts"

/** The folders for these variables; `chosen` is where a script wants its runs. */
const foldersOf = (env: Record<string, string>, chosen = "") =>
  userFolders.pipe(
    Effect.provideService(StateFolder, chosen),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provide(NodeServices.layer)
  )

describe("userFolders", () => {
  it.effect("follows the XDG variables when they are absolute", () =>
    Effect.gen(function* () {
      const usual = {
        home: "/home/you",
        config: "/home/you/.config",
        own: "/home/you/.config/task-conductor",
        state: "/home/you/.local/state/task-conductor",
        locks: "/home/you/.local/state/task-conductor/locks"
      }
      assert.deepStrictEqual(yield* foldersOf({ HOME: "/home/you", XDG_CONFIG_HOME: "relative" }), usual)
      assert.deepStrictEqual(yield* foldersOf({ HOME: "/home/you", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }), {
        home: "/home/you",
        config: "/c",
        own: "/c/task-conductor",
        state: "/s/task-conductor",
        locks: "/s/task-conductor/locks"
      })
    })
  )

  it.effect("keeps runs where a script says, and locks on projects where they are for all", () =>
    Effect.gen(function* () {
      const { locks, state } = yield* foldersOf({ HOME: "/home/you" }, "/srv/runs")
      assert.deepStrictEqual([state, locks], ["/srv/runs", "/home/you/.local/state/task-conductor/locks"])
      assert.strictEqual((yield* foldersOf({ HOME: "/home/you" }, "runs")).state, `${process.cwd()}/runs`)
    })
  )
})
