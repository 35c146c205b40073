import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { build } from "../../../src/app/build.ts"
import { readSetup } from "../../../src/app/setup.ts"
import { makeServers } from "../../../src/plugins/cluster/workerServers.ts"
import type { WorkerState } from "../../../src/plugins/cluster/ClusterWorkers.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { makeFolder } from "../../support/Project.ts"

const other = (more: Partial<WorkerState>): WorkerState => ({
  name: "gpu-2-9",
  version: build,
  begunAt: "2026-11-20T18:30:00.000Z",
  slots: 1,
  runs: 0,
  tasks: 0,
  seenSecondsAgo: 0,
  isAlive: true,
  ...more
})

describe("the servers of a worker", () => {
  for (const [what, others, leaves] of [
    ["another worker has one", [other({})], [false, true, true]],
    ["there is no other worker", [], [false, true, false]],
    ["another worker has none either", [other({ serverGone: "No server." })], [false, true, false]],
    ["another worker has one, but is of another version", [other({ version: "9.9.9" })], [false, true, false]],
    ["there is only this worker itself", [other({ name: "gpu-1-7" })], [false, true, false]]
  ] as const) {
    nodeTest(`leave work to others when they are gone and ${what}`, function* () {
      const said: Array<string> = []
      const servers = yield* makeServers({
        worker: "gpu-1-7",
        workers: { alive: Effect.succeed([...others]) },
        waitSeconds: 60,
        report: (text) => Effect.sync(() => void said.push(text))
      })
      const setup = yield* readSetup(yield* makeFolder, { host: "http://127.0.0.1:1", model: "qwen3:8b" })
      const found = [yield* servers.leavesWork]
      yield* servers.leave(setup, "It is gone.")
      yield* servers.leave(setup, "It is gone.")
      found.push(yield* servers.leavesWork)
      yield* TestClock.adjust("1 minute")
      found.push(yield* servers.leavesWork)
      assert.deepStrictEqual(found, [...leaves])
      const why =
        "It is gone. Other workers take its work until it answers. When none has a server, it waits 60 s (limits.serverWaitSeconds)."
      assert.deepStrictEqual([said, servers.gone(), yield* servers.hasGivenUp], [[why], "It is gone.", true])
    })
  }
})
