/**
 * The toolchains of this machine, in its own home folder: what runs without the sandbox runs in it by default, or fails with
 * the setting that helps.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { spawnSync } from "node:child_process"
import { homedir } from "node:os"
import { fileURLToPath } from "node:url"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs, unlessMissing } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeFolder } from "../../support/Project.ts"

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url))

interface Result {
  readonly exit_code: number
  readonly output: string
  readonly sandbox?: string
}

interface Given {
  readonly files?: Readonly<Record<string, string>>
  readonly sandbox?: SandboxSettings
  readonly environment?: Readonly<Record<string, string>>
}

/** A project of the user whose tests these are. */
const open = Effect.fnUntraced(function* ({ environment = {}, files = {}, sandbox = {} }: Given) {
  const caches = yield* makeFolder
  const { root, run } = yield* openTools({
    files,
    commands: {
      home: homedir(),
      sandbox: { mode: "required", ...sandbox },
      environment: { ...process.env, ...environment },
      caches,
      usualSeconds: 300
    }
  })
  const command = (...argv: ReadonlyArray<string>) =>
    Effect.map(run("run_command", { argv }), ({ data, error_message }) => {
      return (data ?? { exit_code: -1, output: error_message }) as unknown as Result
    })
  const passes = (...argv: ReadonlyArray<string>) =>
    Effect.map(command(...argv), ({ exit_code, output }) => assert.strictEqual(exit_code, 0, output))
  return { caches, root, command, passes }
})

/** Runs a program without the sandbox. */
const outside = (cwd: string, program: string, ...words: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, words, { cwd, encoding: "utf8" })
  assert.strictEqual(status, 0, `${stdout}${stderr}`)
  return stdout
}

const whereThere = (program: string, ...words: ReadonlyArray<string>) =>
  unlessMissing(spawnSync(program, words).status === 0 ? undefined : `${program} is not installed.`)

const unittest = {
  "one.py": "def one():\n    return 1\n",
  "test_one.py":
    "import unittest, sys, one\n\nclass One(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one.one(), 1)\n        self.assertNotEqual(sys.prefix, sys.base_prefix)\n"
}

describe("toolchains of this machine in the sandbox", needs("bwrap"), () => {
  liveTest(
    "run the tests of an active environment outside of the project",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped({ directory: modules, prefix: ".environment-test-" })
      outside(folder, "python3", "-m", "venv", "--without-pip", "env")
      const environment = { VIRTUAL_ENV: `${folder}/env`, PATH: `${folder}/env/bin:${process.env["PATH"]}` }
      const { passes } = yield* open({ files: unittest, environment })
      yield* passes("python", "-m", "unittest")
    },
    needs("python3")
  )

  liveTest(
    "name the setting for a Manager of Python, and run it then",
    function* () {
      const text = `from multiprocessing import Manager\nif __name__ == "__main__":\n    with Manager() as manager: print(list(manager.list([1])))\n`
      const closed = yield* open({ files: { "a.py": text } })
      const { exit_code, sandbox } = yield* closed.command("python3", "a.py")
      assert.notStrictEqual(exit_code, 0)
      assert.match(sandbox ?? "", /"sandbox": \{ "unixSockets": true \}\.$/)
      const opened = yield* open({ files: { "a.py": text }, sandbox: { unixSockets: true } })
      assert.deepInclude(yield* opened.command("python3", "a.py"), { exit_code: 0, output: "[1]\n" })
    },
    needs("python3")
  )

  liveTest("run vitest of packages that are a link out of the project", function* () {
    const fs = yield* FileSystem.FileSystem
    const text = `import { expect, it } from "vitest"\nit("one", () => expect(1).toBe(1))\n`
    const { passes, root } = yield* open({ files: { "package.json": '{ "type": "module" }', "one.test.js": text } })
    yield* fs.symlink(modules, `${root}/node_modules`)
    yield* passes("node_modules/.bin/vitest", "run")
  })

  liveTest(
    "run a script of npm whose test starts a server, and name the setting for a package that is missing",
    function* () {
      const test =
        'require("node:http").createServer((_, reply) => reply.end("one")).listen(0, "127.0.0.1", function () { fetch(`http://localhost:${this.address().port}/`).then((one) => one.text()).then((text) => process.exit(text === "one" ? 0 : 1)) })'
      const files = { "package.json": '{ "scripts": { "test": "node test.js" } }', "test.js": test }
      const { command, passes } = yield* open({ files })
      yield* passes("npm", "test")
      assert.match((yield* command("npm", "install", "left-pad")).sandbox ?? "", /"sandbox": \{ "network": true \}\.$/)
    }
  )

  liveTest(
    "run the tests of Rust",
    function* () {
      const { passes } = yield* open({
        files: {
          "Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
          "src/lib.rs": "#[test]\nfn one() {\n    assert_eq!(1, 1);\n}\n"
        }
      })
      yield* passes("cargo", "test")
    },
    whereThere("cargo", "--version")
  )

  liveTest(
    "run a program of Go, and keep what it has built",
    function* () {
      const fs = yield* FileSystem.FileSystem
      /* Without imports, so that Go builds little of its own first. */
      const { caches, passes } = yield* open({
        files: { "go.mod": "module one\n\ngo 1.20\n", "one.go": 'package main\n\nfunc main() { println("one") }\n' }
      })
      yield* passes("go", "run", ".")
      const [folder = ""] = yield* fs.readDirectory(caches)
      assert.include(yield* fs.readDirectory(`${caches}/${folder}`), "go-build")
    },
    whereThere("go", "version")
  )
})
