import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { chmodSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { hashOf } from "../../../src/services/files/Hash.ts"
import { programFiles } from "../../../src/services/mcp/ServerProgram.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { scriptedServer, startsOf } from "../../support/McpServers.ts"
import { openMcp } from "../../support/OpenMcp.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const liveTest = <A, E>(name: string, body: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>): void =>
  it.live(name, () => Effect.provide(body(), NodeServices.layer))

interface Entry {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  readonly path?: string
}

const filesOf = (project: string, { args = [], command, cwd = ".", path = process.env["PATH"] ?? "" }: Entry) =>
  programFiles({ _tag: "Program", command, args, cwd: join(project, cwd), env: { PATH: path } }, project)

const files = {
  "bin/serve": "#!/bin/sh\nexec node ./lib/main.mjs\n",
  "lib/main.mjs": 'import "./part.mjs"\n',
  "lib/part.mjs": "export {}\n",
  "server.py": "import sys\n",
  "run.sh": "node tools/start.js\n",
  "tools/start.js": "start()\n",
  Makefile: "serve:\n\tnode tools/start.js\n",
  "hook.cjs": "hook()\n",
  "notes.md": "Notes.\n"
}

describe("what a server program runs", () => {
  const changes: ReadonlyArray<readonly [what: string, entry: Entry, file: string]> = [
    ["the program itself", { command: "./bin/serve" }, "bin/serve"],
    ["the program in the folder of the entry", { command: "./serve", cwd: "bin" }, "bin/serve"],
    ["a script of an interpreter", { command: "python3", args: ["-u", "server.py"] }, "server.py"],
    ["what a script imports", { command: "node", args: ["lib/main.mjs"] }, "lib/part.mjs"],
    ["what the value of an option names", { command: "node", args: ["--require=./hook.cjs", "-e", "1"] }, "hook.cjs"],
    ["a script of a script", { command: "sh", args: ["run.sh"] }, "tools/start.js"],
    ["a script within an argument", { command: "sh", args: ["-c", "exec node tools/start.js"] }, "tools/start.js"],
    ["the file of a runner", { command: "make", args: ["serve"] }, "Makefile"]
  ]
  for (const [what, entry, file] of changes) {
    liveTest(`changes with ${what}, and with no other file`, () =>
      Effect.gen(function* () {
        const project = yield* makeProject(files)
        chmodSync(join(project, "bin/serve"), 0o755)
        const before = hashOf(yield* filesOf(project, entry))
        yield* putFiles(project, { "notes.md": "Other notes.\n" })
        assert.strictEqual(hashOf(yield* filesOf(project, entry)), before)
        yield* putFiles(project, { [file]: `${files[file as keyof typeof files]}# more\n` })
        assert.notStrictEqual(hashOf(yield* filesOf(project, entry)), before)
      })
    )
  }

  liveTest("changes with a program or script outside the project, and a link that leads elsewhere", () =>
    Effect.gen(function* () {
      const outside = yield* makeFolder
      const project = yield* makeProject(files)
      yield* putFiles(outside, { "mcp-tool": "#!/bin/sh\n", "server.mjs": "serve()\n", "data.db": "\0\u0001" })
      chmodSync(join(outside, "mcp-tool"), 0o755)
      symlinkSync("server.py", join(project, "current"))
      const entries: ReadonlyArray<Entry> = [
        { command: "mcp-tool", path: outside },
        { command: "node", args: [join(outside, "server.mjs"), join(outside, "data.db")] },
        { command: "python3", args: ["current"] }
      ]
      const all = Effect.forEach(entries, (entry) => Effect.map(filesOf(project, entry), hashOf))
      const before = yield* all
      /* A database that the server writes is no program. */
      yield* putFiles(outside, { "data.db": "\0\u0002\u0003" })
      assert.deepStrictEqual(yield* all, before)
      yield* putFiles(outside, { "mcp-tool": "#!/bin/sh\nother\n", "server.mjs": "other()\n" })
      rmSync(join(project, "current"))
      symlinkSync("tools/start.js", join(project, "current"))
      assert.deepStrictEqual(
        (yield* all).map((hash, index) => hash === before[index]),
        [false, false, false]
      )
    })
  )
})

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
