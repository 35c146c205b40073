/**
 * Programs that the host itself starts are never ones that a command of the project or another user can have put there.
 */
import { assert, describe } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { trustedFolders } from "../../../src/services/files/SearchPath.ts"
import { readMcpServers } from "../../../src/plugins/mcp/McpServers.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

const folder = (name: string, mode = 0o755) => {
  mkdirSync(name, { recursive: true })
  chmodSync(name, mode)
  return name
}
const link = (target: string, name: string) => {
  symlinkSync(target, name)
  return name
}

const makePlaces = Effect.gen(function* () {
  const outside = yield* makeFolder
  const project = yield* makeFolder
  const bin = folder(join(project, "node_modules/.bin"))
  writeFileSync(join(outside, "file"), "")
  return {
    project,
    bin,
    marker: join(outside, "marker"),
    link: link(project, join(outside, "to-project")),
    wrong: {
      "a folder of the project": bin,
      "the project itself": project,
      "a link into the project": link(bin, join(outside, "to-bin")),
      "a folder behind a link to the project": join(outside, "to-project/node_modules/.bin"),
      "a way through the project and back": join(outside, "x/../to-bin"),
      "a relative folder": "node_modules/.bin",
      "the current folder": ".",
      "an empty part": "",
      "a folder that everybody can write": folder(join(outside, "open"), 0o777),
      "one in which everybody can make files": folder(join(outside, "sticky"), 0o1777),
      "a link to such a folder": link(join(outside, "open"), join(outside, "to-open")),
      "a folder that is not there": join(outside, "missing")
    },
    right: {
      "a folder outside": folder(join(outside, "bin")),
      "a folder beside the project whose name begins alike": folder(`${project}-tools`),
      "a link from the project to a folder outside": link(join(outside, "bin"), join(project, "tools"))
    }
  }
})

/** Puts a program that leaves its name in the marker into a folder. */
const plant = (folder: string, name: string, marker: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} >> ${marker}\nexit 1\n`)
  chmodSync(join(folder, name), 0o755)
}

describe("a program of the host", () => {
  liveTest("is looked for only where nobody else can put one", function* () {
    const { link, project, right, wrong } = yield* makePlaces
    for (const root of [project, link]) {
      for (const [what, folder] of Object.entries(wrong)) {
        assert.deepStrictEqual(trustedFolders(folder, root), [], what)
      }
      for (const [what, folder] of Object.entries(right)) {
        assert.deepStrictEqual(trustedFolders(folder, root), [folder], what)
      }
    }
    const all = [...Object.values(wrong), ...Object.values(right)].join(":")
    assert.deepStrictEqual(trustedFolders(all, project), Object.values(right))
    assert.deepStrictEqual(trustedFolders(undefined, project), [])
  })

  liveTest(
    "is not one of the project for the sandbox and its copies",
    function* () {
      const { bin, marker, project, wrong } = yield* makePlaces
      spawnSync("git", ["init", "-q", project])
      for (const name of ["bwrap", "git", "unshare", "mount", "setpriv", "newuidmap"]) plant(bin, name, marker)
      const PATH = `${bin}:${wrong["a link into the project"]}:${process.env["PATH"]}`
      const { run } = yield* openTools({ project, commands: { environment: { PATH } } })
      const { data } = yield* run("run_command", { argv: ["sh", "-c", "echo done"] })
      assert.strictEqual((data as { readonly output?: string } | null)?.output, "done\n")
      assert.isFalse(existsSync(marker), existsSync(marker) ? readFileSync(marker, "utf8") : "")
    },
    needs("bwrap", "git")
  )

  liveTest("is not one of the project for a server of the user", function* () {
    const { bin, project, right } = yield* makePlaces
    const tools = right["a folder outside"]
    const env = { PATH: `${bin}:${tools}`, HOME: tools }
    const { servers } = yield* readMcpServers({ project, userServers: { s: { command: "npx" } } }).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
    const [address] = servers.map((server) => server.address)
    assert.strictEqual(address?._tag === "Program" ? address.env["PATH"] : undefined, tools)
  })
})
