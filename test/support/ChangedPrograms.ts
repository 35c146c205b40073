/**
 * Trust in a server of the project covers the files that it runs: its program, its script, and what they name in the project.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Policies } from "../../src/services/permissions/Policies.ts"
import { openMcp } from "./OpenMcp.ts"
import { makeFolder } from "./Project.ts"
import { scriptedApprover } from "./ScriptedApprover.ts"

/* Servers that end at once: what is asked comes before. */
const script = "process.exit(0)\n"

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

interface Case {
  readonly entry: (root: string, outside: string) => object
  /** What is there when the server is trusted, below the project or the folder outside. */
  readonly files?: Readonly<Record<string, string>>
  readonly outside?: Readonly<Record<string, string>>
  readonly change: (root: string, outside: string) => void
}

const server = { "server.mjs": script }
const node = process.execPath
const [ending, failing] = ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"]
const longer =
  (path: string): Case["change"] =>
  (root) =>
    appendFileSync(join(root, path), "//\n")

const cases: Readonly<Record<string, Case>> = {
  "the script of an interpreter": {
    entry: () => ({ command: node, args: ["server.mjs"] }),
    files: server,
    change: longer("server.mjs")
  },
  "the script, with its old time and size": {
    entry: () => ({ command: node, args: ["./server.mjs"] }),
    files: server,
    change: (root) => {
      writeFileSync(join(root, "server.mjs"), script.replace("0", "1"))
      utimesSync(join(root, "server.mjs"), 1, 1)
    }
  },
  "a script outside the project": {
    entry: (_root, outside) => ({ command: node, args: [join(outside, "server.mjs")] }),
    outside: server,
    change: (_root, outside) => appendFileSync(join(outside, "server.mjs"), "//\n")
  },
  "a script behind an option": {
    entry: () => ({ command: node, args: ["--require=./first.cjs", "server.mjs"] }),
    files: { ...server, "first.cjs": "" },
    change: longer("first.cjs")
  },
  "a script in another folder": {
    entry: () => ({ command: node, args: ["server.mjs"], cwd: "tools" }),
    files: { "tools/server.mjs": script },
    change: longer("tools/server.mjs")
  },
  "a program of the project": {
    entry: () => ({ command: "./bin/server" }),
    files: { "bin/server": ending },
    change: (root) => writeFileSync(join(root, "bin/server"), failing)
  },
  "a program that is found on the search path": {
    entry: (_root, outside) => ({ command: "its-server", env: { PATH: `${outside}:/usr/bin:/bin` } }),
    outside: { "its-server": ending },
    change: (_root, outside) => writeFileSync(join(outside, "its-server"), failing)
  },
  "where a program is found on the search path": {
    entry: (root, outside) => ({ command: "its-server", env: { PATH: `${join(root, "bin")}:${outside}` } }),
    outside: { "its-server": ending },
    change: (root) => write(join(root, "bin/its-server"), failing)
  },
  "where a link to the program leads": {
    entry: () => ({ command: "./server" }),
    files: { "a.sh": ending, "b.sh": failing },
    change: (root) => {
      rmSync(join(root, "server"), { force: true })
      symlinkSync("b.sh", join(root, "server"))
    }
  },
  "a script that was not there": {
    entry: () => ({ command: node, args: ["server.mjs"] }),
    change: (root) => write(join(root, "server.mjs"), script)
  },
  "what the script names in the project": {
    entry: () => ({ command: "sh", args: ["start.sh"] }),
    files: { "start.sh": "exec node lib/server.mjs\n", "lib/server.mjs": script },
    change: longer("lib/server.mjs")
  },
  "the entry": {
    entry: () => ({ command: node, args: ["server.mjs"] }),
    files: server,
    change: (root) => writeFileSync(join(root, ".mcp.json"), entryText({ command: node, args: ["server.mjs", "-x"] }))
  }
}

const entryText = (entry: object): string => JSON.stringify({ mcpServers: { s: entry } })

/** A project with a server that was trusted for good, and its next starts. */
const trusted = Effect.fnUntraced(function* ({ entry, files = {}, outside: others = {} }: Case) {
  const [root, outside] = [yield* makeFolder, yield* makeFolder]
  const policies = Layer.succeed(Policies)(yield* Effect.provide(Policies, Policies.layerMemory()))
  for (const [name, text] of Object.entries(files)) write(join(root, name), text)
  if (files["a.sh"] !== undefined) symlinkSync("a.sh", join(root, "server"))
  for (const [name, text] of Object.entries(others)) write(join(outside, name), text)
  write(join(root, ".mcp.json"), entryText(entry(root, outside)))
  const start = Effect.fnUntraced(function* (answers: ReadonlyArray<"remember" | "deny">) {
    const approver = scriptedApprover({ calls: answers })
    const { problems } = yield* Effect.scoped(openMcp({ project: root, approver: approver.layer, policies }))
    return { asked: approver.asked.flat(), problems }
  })
  const startAlone = Effect.map(
    Effect.scoped(openMcp({ project: root, policies })),
    ({ problems }) => problems[0] ?? ""
  )
  assert.strictEqual((yield* start(["remember"])).asked.length, 1)
  assert.strictEqual((yield* start([])).asked.length, 0)
  return { root, outside, start, startAlone }
})

/** The changes that are among the short tests. */
const main: ReadonlySet<string> = new Set(["the script of an interpreter", "a program of the project", "the entry"])

/** The tests of the main changes, or of the others. */
export const testChangedPrograms = (which: "main" | "others"): void => {
  layer(NodeServices.layer, { excludeTestServices: true })("a server that was trusted", (it) => {
    describe("is asked about again, and that it has changed is said", () => {
      for (const [what, one] of Object.entries(cases)) {
        if (main.has(what) !== (which === "main")) continue
        it.effect(`when it is ${what}`, () =>
          Effect.gen(function* () {
            const { outside, root, start, startAlone } = yield* trusted(one)
            one.change(root, outside)
            assert.match(
              yield* startAlone,
              /It has changed since you trusted it on [-0-9]+[.] Use --allow "start_server:s sha256:/
            )
            const { asked } = yield* start(["remember"])
            assert.match(asked[0]?.warnings?.join() ?? "", /^It has changed .* on [-0-9]+[.]$/)
            assert.strictEqual((yield* start([])).asked.length, 0)
          })
        )
      }
    })

    if (which === "others") return
    it.effect("is not asked about again for a file that it only reads, or another one", () =>
      Effect.gen(function* () {
        const { root, start } = yield* trusted({
          entry: () => ({ command: node, args: ["server.mjs", "notes.db"] }),
          files: { ...server, "notes.db": "1", "other.mjs": "" },
          change: () => undefined
        })
        appendFileSync(join(root, "notes.db"), "2")
        appendFileSync(join(root, "other.mjs"), "//\n")
        assert.strictEqual((yield* start([])).asked.length, 0)
      })
    )
  })
}
