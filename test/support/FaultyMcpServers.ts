/** MCP servers with a fault, which a healthy one may stand beside. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "./liveTest.ts"
import { isRunning, scriptedServer, startsOf } from "./McpServers.ts"
import { openMcp, type OpenMcp } from "./OpenMcp.ts"
import { makeFolder } from "./Project.ts"

/** Faults of servers that run and never become ready: their time has to be over. */
export const unready = new Set(["silent", "only logs"])

/** A server with a fault, beside these servers, all of the user. */
export const openFaulty = Effect.fnUntraced(function* (
  fault: string,
  others: NonNullable<OpenMcp["own"]>,
  limits = {}
) {
  const folder = yield* makeFolder
  const opened = yield* openMcp({
    own: { s: { ...scriptedServer(folder, fault), startTimeout: unready.has(fault) ? 1 : 60 }, ...others },
    rules: [
      { verdict: "allow", tool: "mcp__s__say" },
      { verdict: "allow", tool: "mcp__other__say" }
    ],
    limits
  })
  return { ...opened, folder, say: opened.call("mcp__s__say", { text: "a" }) }
})

/** A healthy server beside one with a fault. */
export const beside = Effect.fnUntraced(function* (fault: string, limits = {}) {
  const opened = yield* openFaulty(fault, { other: scriptedServer(yield* makeFolder) }, limits)
  return { ...opened, sayOther: opened.call("mcp__other__say", { text: "b" }) }
})

export const isLeftOut = (faults: ReadonlyArray<readonly [fault: string, detail: string | RegExp]>): void => {
  for (const [fault, detail] of faults) {
    liveTest(`is left out with the reason when it: ${fault}`, function* () {
      const { folder, names, problems, sayOther } = yield* beside(fault)
      const [problem = ""] = problems
      const prefix = 'The server "s" is not used: '
      assert.strictEqual(problems.length, 1)
      assert.isTrue(problem.startsWith(prefix), problem)
      if (typeof detail === "string") assert.strictEqual(problem.slice(prefix.length), detail)
      else assert.match(problem.slice(prefix.length), detail)
      assert.deepStrictEqual(names, ["mcp__other__say"])
      assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
      if (fault !== "no tools") assert.deepStrictEqual(startsOf(folder).filter(isRunning), [])
    })
  }
}

export const failsAlone = (faults: ReadonlyArray<readonly [fault: string, type: string, message: RegExp]>): void => {
  for (const [fault, type, message] of faults) {
    liveTest(`fails its call alone: ${fault}`, function* () {
      const { say, sayOther } = yield* beside(fault)
      const [failed, text] = (yield* say) as [string, string]
      assert.strictEqual(failed, type)
      assert.match(text, message)
      assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
    })
  }
}
