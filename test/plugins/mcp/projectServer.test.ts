import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { scriptedServer, startsOf } from "../../support/McpServers.ts"
import { openMcp } from "../../support/OpenMcp.ts"
import { makeFolder, putFiles } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { liveTest } from "../../support/liveTest.ts"

describe("trust in a server of a project", () => {
  /** A server whose program is a file of the project. */
  const projectServer = Effect.fnUntraced(function* (fault: string) {
    const [folder, project] = [yield* makeFolder, yield* makeFolder]
    const { args, command } = scriptedServer(folder, fault)
    const [script = "", ...rest] = args
    const entry = { command, args: ["serve.mjs", ...rest] }
    const serve = (text = "") =>
      putFiles(project, {
        ".mcp.json": JSON.stringify({ mcpServers: { s: entry } }),
        "serve.mjs": `await import(${JSON.stringify(script)})\n${text}`
      })
    yield* serve()
    return { folder, project, serve }
  })

  liveTest("names the file that it runs, and does not cover a restart with another one", function* () {
    const { folder, project, serve } = yield* projectServer("dies")
    const approver = scriptedApprover({ calls: ["once"] })
    const { call } = yield* openMcp({ project, approver: approver.layer })
    const named = `File of the project that it runs: ${join(project, "serve.mjs")}`
    assert.strictEqual(approver.asked.flat()[0]?.details?.at(-1), named)
    const say = Effect.match(call("mcp__s__say", { text: "a" }), { onFailure: String, onSuccess: String })
    yield* say
    yield* serve("// changed by a task\n")
    assert.include(yield* say, "its program changed since you were asked about it")
    assert.strictEqual(startsOf(folder).length, 1)
  })
})
