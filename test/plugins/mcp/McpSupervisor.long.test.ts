/** Servers that take long to start, send too much, or do not end. */
import { WaitingNotice } from "../../../src/services/plugins/WaitingNotice.ts"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { closedIn, isRunning, scriptedServer, startsOf } from "../../support/McpServers.ts"
import { liveTest } from "../../support/liveTest.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openMcp } from "../../support/OpenMcp.ts"
import { passTime } from "../../support/passTime.ts"
import { makeFolder } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"
import { isLeftOut, failsAlone } from "../../support/FaultyMcpServers.ts"

describe("a server that never becomes ready in time", () => {
  isLeftOut([
    [
      "silent",
      'it was not ready in time. Fix the server, give it more seconds with "startTimeout", or leave it out with "disabled".'
    ],
    [
      "only logs",
      'it was not ready in time. Fix the server, give it more seconds with "startTimeout", or leave it out with "disabled". It wrote something to stdout that is not a message: Usage: server [options]'
    ]
  ])
})

liveTest("a server that takes long to start is named after two seconds, and a quick one is not", function* () {
  const [slow, quick] = [yield* makeFolder, yield* makeFolder]
  const lines: Array<string> = []
  const own = { slow: { ...scriptedServer(slow, "silent"), startTimeout: 3 }, quick: scriptedServer(quick) }
  const tell = (line: string) => Effect.sync(() => void lines.push(line))
  yield* Effect.provideService(openMcp({ own }), WaitingNotice, tell)
  assert.deepStrictEqual(lines, ['Waiting for the MCP server "slow", 3 seconds at most: prompts list its tools.'])
})

describe("an answer that is too large", () => {
  failsAlone([["huge answer", "output_limit", /sent a message of more than 10 MiB\.$/]])
})

nodeTest("the end of a run ends several servers that do not want to end at the same time", function* () {
  const folders = [yield* makeFolder, yield* makeFolder, yield* makeFolder]
  const own = Object.fromEntries(folders.map((folder, index) => [`s${index}`, scriptedServer(folder, "stays")]))
  const scope = yield* Scope.make()
  yield* Scope.provide(openMcp({ own }), scope)
  const pids = folders.flatMap(startsOf)
  const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
  /* The clock stands still, so none of them can have been waited for before the next was told. */
  yield* waitFor("the end of every stdin", () => folders.flatMap(closedIn).length === 3)
  assert.deepStrictEqual(pids.map(isRunning), [true, true, true])
  yield* passTime(Fiber.join(closed), "100 millis")
  assert.deepStrictEqual(pids.map(isRunning), [false, false, false])
})
