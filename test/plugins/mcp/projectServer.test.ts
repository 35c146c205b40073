import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { scriptedServer, startsOf } from "../../support/McpServers.ts"
import { openMcp } from "../../support/OpenMcp.ts"
import { makeFolder, putFiles } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const liveTest = <A, E>(name: string, body: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>): void =>
  it.live(name, () => Effect.provide(body(), NodeServices.layer))

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

  liveTest("ends when a file changes that it runs, and the question names the file", () =>
    Effect.gen(function* () {
      const { project, serve } = yield* projectServer("none")
      const policies = Layer.succeed(Policies)(yield* Effect.provide(Policies, Policies.layerMemory()))
      const start = Effect.fnUntraced(function* (answers: ReadonlyArray<"remember" | "deny">) {
        const approver = scriptedApprover({ calls: answers })
        const { names } = yield* Effect.scoped(openMcp({ project, approver: approver.layer, policies }))
        return [names.length, approver.asked.flat().flatMap(({ details = [] }) => details.at(-1))]
      })
      const named = `File of the project that it runs: ${join(project, "serve.mjs")}`
      assert.deepStrictEqual(yield* start(["remember"]), [1, [named]])
      assert.deepStrictEqual(yield* start([]), [1, []])
      yield* serve("// changed\n")
      assert.deepStrictEqual(yield* start(["deny"]), [0, [named]])
      yield* serve()
      assert.deepStrictEqual(yield* start([]), [1, []])
    })
  )

  liveTest("does not cover a restart with another program", () =>
    Effect.gen(function* () {
      const { folder, project, serve } = yield* projectServer("dies")
      const approver = scriptedApprover({ calls: ["once"] })
      const { call } = yield* openMcp({ project, approver: approver.layer })
      const say = Effect.match(call("mcp__s__say", { text: "a" }), {
        onFailure: String,
        onSuccess: String
      })
      yield* say
      yield* serve("// changed by a task\n")
      assert.include(yield* say, "its program changed since you were asked about it")
      assert.strictEqual(startsOf(folder).length, 1)
    })
  )
})
