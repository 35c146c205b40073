/**
 * Commands in a working copy: programs, killed processes, large folders, notes of calls, and a copy of the project where no overlay
 * can be mounted.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { CommandLine, definePlugin, runGranted, tool } from "../../../src/plugin-kit.ts"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import type { CommandOrder } from "../../support/commandProcess.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"
import { keeping, openCopy as open, testWay } from "../../support/copyWays.ts"

testWay("overlay", "others")

testWay("copy", "all")

/** A repository with one commit, and a working copy that changes, removes and adds a file. */
const makeRepository = Effect.gen(function* () {
  const files = { "a.txt": "a\n", "b.txt": "b\n" }
  const opened = yield* open({ files })
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", opened.root, "-c", "user.name=a", "-c", "user.email=a@b.c", ...words])
  git("init", "-q")
  git("add", ".")
  git("commit", "-qm", "First")
  opened.propose("a.txt", "other\n")
  opened.propose("b.txt", null)
  opened.propose("c.txt", "c\n")
  return opened
})

/** Waits until a command has written this file into its overlay. */
const writtenIn = (scratch: string, name: string) =>
  waitFor(`${name} in the overlay`, () => globSync(`*/command-*/upper/${name}`, { cwd: scratch }).length > 0)

describe("programs in a working copy", needs("bwrap"), () => {
  liveTest(
    "git shows the proposed changes",
    () =>
      Effect.gen(function* () {
        const { root, run } = yield* makeRepository
        assert.strictEqual(
          (yield* keeping(root, run("git", "status", "--porcelain"))).output,
          " M a.txt\n D b.txt\n?? c.txt\n"
        )
      }),
    needs("git")
  )

  liveTest("a formatter changes the proposed text, and what a program generates is proposed", () =>
    Effect.gen(function* () {
      const files = {
        "package.json": "{}",
        "format.js": `const fs = require("fs"); const text = fs.readFileSync("src/a.json", "utf8"); fs.writeFileSync("src/a.json", JSON.stringify(JSON.parse(text), null, 2) + "\\n"); fs.mkdirSync("gen/deep", { recursive: true }); fs.writeFileSync("gen/deep/b.js", "module.exports = " + text)`,
        "src/a.json": '{"a":0}'
      }
      const { propose, root, run, texts } = yield* open({ files })
      propose("src/a.json", '{"a":1}')
      const { changed_files } = yield* keeping(root, run("node", "format.js"))
      assert.deepStrictEqual(changed_files, ["gen/deep/b.js", "src/a.json"])
      assert.deepStrictEqual(texts(), {
        "gen/deep/b.js": 'module.exports = {"a":1}',
        "src/a.json": '{\n  "a": 1\n}\n'
      })
    })
  )

  liveTest(
    "make builds what the proposal needs",
    () =>
      Effect.gen(function* () {
        const files = { Makefile: "out.txt: in.txt\n\tcp in.txt out.txt\n", "in.txt": "old\n", "out.txt": "old\n" }
        const { propose, root, run, texts } = yield* open({ files })
        propose("in.txt", "new\n")
        const { changed_files, output } = yield* keeping(root, run("make"))
        assert.deepStrictEqual(changed_files, ["out.txt"], output)
        assert.strictEqual(texts()["out.txt"], "new\n")
      }),
    needs("make")
  )

  liveTest(
    "Python tests the proposed module",
    () =>
      Effect.gen(function* () {
        const files = {
          ".gitignore": "__pycache__/\n",
          "pkg/__init__.py": "",
          "pkg/sum.py": "def plus(a, b):\n    return a - b\n",
          "test_sum.py":
            "import unittest\nfrom pkg.sum import plus\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(plus(1, 2), 3)\n"
        }
        const { propose, root, run, texts } = yield* open({ files })
        const test = keeping(root, run("/usr/bin/python3", "-m", "unittest", "test_sum"))
        assert.strictEqual((yield* test).exit_code, 1)
        propose("pkg/sum.py", "def plus(a, b):\n    return a + b\n")
        const { changed_files, exit_code, output } = yield* test
        assert.strictEqual(exit_code, 0, output)
        assert.isUndefined(changed_files)
        assert.deepStrictEqual(Object.keys(texts()), ["pkg/sum.py"])
      }),
    needs("python3")
  )

  liveTest("a command that takes too long proposes nothing and leaves nothing", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { call, root, scratch, texts } = yield* open()
      const argv = ["sh", "-c", "echo 1 > a.txt; sleep 60"]
      const { error_type } = yield* keeping(root, call({ argv, timeout_seconds: 1 }))
      assert.strictEqual(error_type, "timeout")
      assert.deepStrictEqual(texts(), {})
      const [own = ""] = yield* fs.readDirectory(scratch)
      assert.deepStrictEqual(yield* fs.readDirectory(join(scratch, own)), [])
    })
  )

  liveTest("what a person changes in the project meanwhile is not replaced", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, script, scratch, texts } = yield* open({ files: { "a.txt": "a\n" } })
      const edit = Effect.andThen(writtenIn(scratch, "a.txt"), fs.writeFileString(`${root}/a.txt`, "person\n"))
      const [{ not_proposed }] = yield* Effect.all([script("echo b >> a.txt; sleep 2"), edit], { concurrency: 2 })
      assert.deepStrictEqual(not_proposed, ["a.txt (changed in the project meanwhile)"])
      assert.deepStrictEqual(texts(), {})
    })
  )
})

const killed = fileURLToPath(new URL("../../support/commandProcess.ts", import.meta.url))

describe("after a process was killed", needs("bwrap", "overlay"), () => {
  liveTest("its command ends with it, and the next process removes what it left, also without a command", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const project = yield* makeProject({ "a.txt": "a" })
      const scratch = yield* makeFolder
      const seconds = `${1000 + Math.random()}`
      const order: CommandOrder = { project, scratch, script: `echo 1 > begun.txt; sleep ${seconds}` }
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [killed, JSON.stringify(order)], { stdio: "inherit" })),
        (one) => Effect.sync(() => one.kill("SIGKILL"))
      )
      const commands = Effect.map(openTools({ project, commands: { scratch } }), (opened) => opened.commands)
      yield* keeping(
        project,
        Effect.gen(function* () {
          yield* writtenIn(scratch, "begun.txt")
          const [own = ""] = yield* fs.readDirectory(scratch)
          yield* Effect.flatMap(commands, ({ copies }) => copies)
          assert.isTrue(yield* fs.exists(join(scratch, own)), "the folder of a living process stays")
          const ended = once(child, "exit")
          child.kill("SIGKILL")
          yield* Effect.promise(() => ended)
          yield* waitForProcesses(seconds, (count) => count === 0)
          assert.isTrue(yield* fs.exists(join(scratch, own)))
          yield* commands
          assert.isFalse(yield* fs.exists(join(scratch, own)))
        })
      )
    })
  )
})

describe("a copy of the project", needs("bwrap"), () => {
  liveTest("holds small ignored folders, shows large packages read-only, and leaves out other large folders", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const files = {
        ".gitignore": "dist\nnode_modules\nbig\n",
        "dist/a.js": "small",
        "node_modules/p/index.js": "package",
        "big/x": "",
        "sub/node_modules/q/index.js": "other"
      }
      const { root, script, texts } = yield* open({ files }, "copy")
      yield* fs.truncate(`${root}/big/x`, 70 * 1024 * 1024)
      yield* fs.writeFileString(`${root}/node_modules/p/large.bin`, "")
      yield* fs.truncate(`${root}/node_modules/p/large.bin`, 70 * 1024 * 1024)
      const { output } = yield* keeping(
        root,
        script(
          "cat dist/a.js node_modules/p/index.js sub/node_modules/q/index.js; ls big; (echo 1 > node_modules/p/x) 2>/dev/null || echo read-only; echo 1 > sub/node_modules/q/x && echo 1 > dist/x && mkdir -p big && echo 1 > big/y && echo written"
        )
      )
      assert.match(output, /^smallpackageother.*read-only\nwritten\n$/s)
      assert.notInclude(output, "x\n")
      assert.deepStrictEqual(texts(), {})
    })
  )
})

/** A plugin whose tool runs a command and could do anything beside it. */
const runner = definePlugin({
  name: "runner",
  tools: Effect.succeed({
    run_own: tool({
      description: "Runs a command.",
      parameters: Schema.Struct({ argv: CommandLine }),
      risk: "high",
      effect: "once",
      access: ({ argv }) => [{ _tag: "RunCommand", argv }],
      execute: (_given, { granted: [granted] }) => runGranted(granted)
    })
  })
})

/** Where a command is called, and whether its call is noted before it begins, so that it is in doubt when it is cut off. */
const notedCalls: Readonly<Record<string, readonly [isNoted: boolean, settings: SandboxSettings, tool?: string]>> = {
  "on a copy": [false, {}],
  "on a copy, with repositories": [false, { git: true, readable: ["/opt"] }],
  "with the network": [true, { network: true }],
  "with a list of hosts": [true, { network: ["example.org"] }],
  "with Unix sockets": [true, { unixSockets: true }],
  "with a folder outside of the project": [true, { writable: ["/var/tmp"] }],
  "without a sandbox": [true, { mode: "off" }],
  "in the project": [true, {}],
  "by a plugin": [true, {}, "run_own"]
}

describe("the call of a command that can be cut off", needs("bwrap", "overlay"), () => {
  for (const [where, [isNoted, sandbox, name = "run_command"]] of Object.entries(notedCalls)) {
    liveTest(`is ${isNoted ? "" : "not "}noted before it begins ${where}`, () =>
      Effect.gen(function* () {
        const noted: Array<string> = []
        const journal = Layer.effect(
          Journal,
          Effect.map(Journal, (none) =>
            Journal.of({ ...none, append: ({ type }) => Effect.sync(() => void noted.push(type)) })
          )
        ).pipe(Layer.provide(Journal.layerNone))
        const { run } = yield* openTools({ journal, plugins: [runner], commands: { sandbox } })
        const copy = where === "in the project" ? undefined : makeWorkingCopy()
        const { error_message } = yield* Effect.provideService(run(name, { argv: ["true"] }), CurrentCopy, copy)
        assert.isNull(error_message)
        assert.deepStrictEqual(noted, isNoted ? ["intent"] : [])
      })
    )
  }
})
