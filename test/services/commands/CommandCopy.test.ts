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
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { CommandLine, definePlugin, runGranted, tool } from "../../../src/plugin-kit.ts"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { changedPaths, takeSnapshot } from "../../support/FolderSnapshot.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import type { CommandOrder } from "../../support/commandProcess.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"

interface Outcome {
  readonly exit_code: number
  readonly output: string
  readonly changed_files?: ReadonlyArray<string>
  readonly not_proposed?: ReadonlyArray<string>
  readonly sandbox?: string
}

type Ways = "overlay" | "copy"

/** A search path with bubblewrap and without what mounts overlays. */
const withoutOverlays = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* makeFolder
  const folders = (process.env["PATH"] ?? "").split(":")
  for (const one of folders) {
    if (yield* fs.exists(join(one, "bwrap"))) {
      yield* fs.symlink(join(one, "bwrap"), join(folder, "bwrap"))
      break
    }
  }
  for (const name of ["sh", "cat", "ls", "rm", "mkdir", "chmod", "mv", "ln", "mkfifo", "head", "sleep"])
    yield* Effect.ignore(fs.symlink(`/usr/bin/${name}`, join(folder, name)))
  return folder
})

/** A project with a working copy, and commands that run for its task. */
const open = Effect.fnUntraced(function* (given: OpenTools = {}, way: Ways = "overlay") {
  const scratch = yield* makeFolder
  const environment = way === "copy" ? { PATH: yield* withoutOverlays } : { PATH: process.env["PATH"] }
  const opened = yield* openTools({ ...given, commands: { scratch, environment, ...given.commands } })
  const { root } = opened
  const task = () => {
    const copy = makeWorkingCopy()
    const propose = (name: string, text: string | null, base: string | null = given.files?.[name] ?? null) =>
      copy.propose({ path: join(root, name), base, text })
    const call = (args: Arguments) => Effect.provideService(opened.run("run_command", args), CurrentCopy, copy)
    const run = (...argv: ReadonlyArray<string>) =>
      Effect.map(call({ argv }), ({ data, error_message }) => {
        assert.isNull(error_message)
        return data as unknown as Outcome
      })
    const texts = () =>
      Object.fromEntries(copy.files().map(({ path, text }) => [path.slice(root.length + 1), text] as const))
    return { copy, propose, call, run, script: (text: string) => run("sh", "-c", text), texts }
  }
  return { ...opened, ...task(), scratch, task }
})

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

/** Runs the work and looks whether the project stays as it is, byte for byte. */
const keeping = <A, E, R>(root: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = takeSnapshot(root)
    const done = yield* work
    assert.deepStrictEqual(changedPaths(before, takeSnapshot(root)), [])
    return done
  })

for (const way of ["overlay", "copy"] as const) {
  describe(
    `commands in a working copy, by ${way}`,
    way === "overlay" ? needs("bwrap", "overlay") : needs("bwrap"),
    () => {
      liveTest("say how they see it", () =>
        Effect.gen(function* () {
          const { commands } = yield* open({}, way)
          const { mechanism, words } = yield* commands.copies
          assert.strictEqual(mechanism, way)
          assert.match(
            words,
            way === "copy" ? /^a copy of the project; no overlay can be mounted \(.+\)$/ : /^an overlay /
          )
        })
      )

      liveTest("propose nothing of what builds make anew, without a .gitignore that says so", () =>
        Effect.gen(function* () {
          const files = { "pom.xml": "", "web/build.gradle": "", "kept/target/a.txt": "a", "kept/build/b.txt": "b" }
          const { script } = yield* open({ files }, way)
          const { changed_files, not_proposed } = yield* script(
            [
              "mkdir -p target/reports web/build cache build one/__pycache__",
              "echo 1 > target/reports/a.txt; echo 1 > web/build/a.txt; echo 1 > one/__pycache__/a.txt",
              "echo 1 > cache/CACHEDIR.TAG; echo 1 > cache/a.txt; echo 1 > build/CMakeCache.txt; echo 1 > build/Makefile",
              "echo 2 > kept/target/a.txt; echo 2 > kept/build/b.txt"
            ].join("; ")
          )
          assert.deepStrictEqual(changed_files, ["kept/build/b.txt", "kept/target/a.txt"])
          assert.isUndefined(not_proposed)
        })
      )

      liveTest("see a file in its encoding, and propose nothing that would be written in another one", () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const latin = Buffer.from("gr\xf6\xdfe\nold\n", "latin1")
          const { propose, root, script, texts } = yield* open(
            { files: { "utf8.txt": "a\n", "plain.txt": "b\n" } },
            way
          )
          for (const name of ["a.txt", "b.txt", "c.txt"]) yield* fs.writeFile(join(root, name), latin)
          propose("a.txt", "größe\nnew\n", "größe\nold\n")
          const { changed_files, not_proposed, output } = yield* script(
            [
              "cat a.txt",
              "printf 'gr\\366\\337e\\nold\\nmore\\n' > b.txt",
              "printf 'gr\\303\\266\\303\\237e\\nold\\n' > c.txt",
              "printf '\\344\\n' > utf8.txt",
              "printf '\\344\\n' > new.txt"
            ].join("; ")
          )
          assert.deepStrictEqual(Buffer.from(output), Buffer.from("gr\uFFFD\uFFFDe\nnew\n"))
          assert.deepStrictEqual([changed_files, texts()["b.txt"]], [["b.txt"], "größe\nold\nmore\n"])
          assert.deepStrictEqual(
            not_proposed,
            ["c.txt", "new.txt", "utf8.txt"].map((name) => `${name} (written in another encoding)`)
          )
        })
      )

      liveTest("propose a change of a file that git tracks although a pattern ignores it", () =>
        Effect.gen(function* () {
          const files = { ".gitignore": "lib/\n", "lib/a.txt": "a\n", "lib/b.txt": "b\n", "lib/c.txt": "c\n" }
          const { root, script, texts } = yield* open({ files }, way)
          execFileSync("git", ["-C", root, "init", "-q"])
          execFileSync("git", ["-C", root, "add", "-f", "lib/a.txt", "lib/c.txt"])
          const { changed_files } = yield* script(
            "cat lib/b.txt; for f in a b new; do echo 1 > lib/$f.txt; done; rm lib/c.txt"
          )
          assert.deepStrictEqual(changed_files, ["lib/a.txt", "lib/c.txt"])
          assert.deepStrictEqual(texts(), { "lib/a.txt": "1\n", "lib/c.txt": null })
        })
      )

      liveTest("propose no removal of what is only ignored now", () =>
        Effect.gen(function* () {
          const files = { "a.txt": "a\n", "src/b.txt": "b\n" }
          const { script } = yield* open({ files }, way)
          assert.deepStrictEqual((yield* script("echo a.txt > .gitignore; echo 1 > src/CACHEDIR.TAG")).changed_files, [
            ".gitignore"
          ])
        })
      )

      liveTest("see the proposed changes, and what they write is proposed", () =>
        Effect.gen(function* () {
          const files = { "a.txt": "one\n", "sub/b.txt": "two\n", "sub/keep.txt": "keep\n", "old.txt": "old\n" }
          const { propose, root, script, scratch, texts } = yield* open({ files }, way)
          propose("a.txt", "proposed\n")
          propose("new/c.txt", "new\n")
          propose("old.txt", null)
          yield* keeping(
            root,
            Effect.gen(function* () {
              assert.deepStrictEqual((yield* script("cat a.txt a.txt > out.txt")).changed_files, ["out.txt"])
              const seen = yield* script("cat out.txt new/c.txt sub/b.txt; ls; pwd")
              assert.strictEqual(seen.output, `proposed\nproposed\nnew\ntwo\na.txt\nnew\nout.txt\nsub\n${root}\n`)
              assert.isUndefined(seen.changed_files)
              const changed = yield* script(
                "echo more >> sub/b.txt; rm new/c.txt; echo back > old.txt; echo n > sub/n.txt"
              )
              assert.deepStrictEqual(changed.changed_files, ["new/c.txt", "old.txt", "sub/b.txt", "sub/n.txt"])
              assert.deepStrictEqual((yield* script("echo one > a.txt")).changed_files, ["a.txt"])
            })
          )
          assert.deepStrictEqual(texts(), {
            "old.txt": "back\n",
            "out.txt": "proposed\nproposed\n",
            "sub/b.txt": "two\nmore\n",
            "sub/n.txt": "n\n"
          })
          const fs = yield* FileSystem.FileSystem
          const [own = ""] = yield* fs.readDirectory(scratch)
          assert.deepStrictEqual(yield* fs.readDirectory(join(scratch, own)), [], "nothing is left of the commands")
        })
      )

      liveTest("may remove folders, make them again, and put a file in the place of a folder", () =>
        Effect.gen(function* () {
          const files = {
            "a/1": "1",
            "a/deep/2": "2",
            "b/3": "3",
            "c/4": "4",
            "c/5": "5",
            "d/6": "6",
            e: "e",
            kept: "k",
            "c/sub/7": "7"
          }
          const { propose, root, script, texts } = yield* open({ files }, way)
          propose("c/5", null)
          propose("b/new", "n")
          yield* keeping(
            root,
            script(
              "rm -r a && mkdir a && echo 9 > a/9; rm -r b; echo 8 >> c/4; mv d d2; rm e; mkdir e; echo x > e/x; rm -r c/sub; echo f > c/sub"
            )
          )
          assert.deepStrictEqual(texts(), {
            "a/1": null,
            "a/9": "9\n",
            "a/deep/2": null,
            "b/3": null,
            "c/4": "48\n",
            "c/5": null,
            "c/sub": "f\n",
            "c/sub/7": null,
            "d/6": null,
            "d2/6": "6",
            e: null,
            "e/x": "x\n"
          })
        })
      )

      liveTest("propose neither what git ignores nor what is no text, and say what was left out", () =>
        Effect.gen(function* () {
          const files = { ".gitignore": "dist\n*.log\n", bin: "\0", "t.txt": "t", "l.txt": "l", "dist/old": "o" }
          const { root, script, texts } = yield* open({ files }, way)
          const { changed_files, not_proposed } = yield* keeping(
            root,
            script(
              "echo 1 > dist/x; echo 1 > a.log; mkdir node_modules; echo 1 > node_modules/x; printf '\\0\\377' > t.txt; echo 1 > bin; head -c 1048577 /dev/zero > large; rm l.txt; ln -s /etc/passwd l.txt; mkfifo pipe; echo 1 > ok; echo out >> .gitignore; echo 1 > out"
            )
          )
          assert.deepStrictEqual(changed_files, [".gitignore", "ok"])
          assert.deepStrictEqual(not_proposed, [
            "bin (binary)",
            "l.txt (no regular file)",
            "large (larger than 1 MB)",
            "pipe (no regular file)",
            "t.txt (binary)"
          ])
          assert.deepStrictEqual(texts(), { ".gitignore": "dist\n*.log\nout\n", ok: "1\n" })
        })
      )

      liveTest("propose which files can be executed, and new links within the project", () =>
        Effect.gen(function* () {
          const files = { "a.txt": "a\n", "run.sh": "echo\n", "sub/b.txt": "b\n" }
          const { copy, root, script } = yield* open({ files }, way)
          const kinds = () => copy.files().map(({ kind, path, text }) => [path.slice(root.length + 1), text, kind])
          const { changed_files, not_proposed } = yield* keeping(
            root,
            script(
              "chmod +x run.sh; echo x > new.sh; chmod 755 new.sh; chmod 600 a.txt; ln -s ../a.txt sub/link; ln -s /etc/passwd out; ln -s ../.. up"
            )
          )
          assert.deepStrictEqual(changed_files, ["new.sh", "run.sh", "sub/link"])
          assert.deepStrictEqual(not_proposed, ["out (a link out of the project)", "up (a link out of the project)"])
          const seen = yield* script(
            "cat sub/link; [ -x run.sh ] && [ -x new.sh ] && ./new.sh; echo more >> run.sh; rm sub/link"
          )
          assert.match(seen.output, /^a\n/)
          assert.deepStrictEqual(seen.changed_files, ["run.sh", "sub/link"])
          assert.deepStrictEqual(kinds(), [
            ["new.sh", "x\n", "executable"],
            ["run.sh", "echo\nmore\n", "executable"]
          ])
        })
      )

      liveTest("may leave files and folders that nobody can read", () =>
        Effect.gen(function* () {
          const { root, script, texts } = yield* open({ files: { "a.txt": "a", "sub/b.txt": "b" } }, way)
          yield* keeping(
            root,
            script("echo c > sub/c.txt; echo 1 >> a.txt; chmod 000 a.txt sub/b.txt sub; mkdir -p x/y; chmod 500 x")
          )
          assert.deepStrictEqual(texts(), { "a.txt": "a1\n", "sub/c.txt": "c\n" })
        })
      )

      liveTest("cannot read secrets or change what controls programs", () =>
        Effect.gen(function* () {
          const files = {
            ".env": "SECRET=canary",
            ".git/HEAD": "ref: refs/heads/main\n",
            ".git/config": "[core]\n",
            ".git/objects/x": "",
            ".git/refs/x": "",
            "deep/in/task-conductor.json": "{}",
            "gone/.mcp.json": "{}"
          }
          const { log, propose, root, script, texts } = yield* open({ files }, way)
          propose("gone/.mcp.json", null)
          const { exit_code, output } = yield* keeping(
            root,
            script(
              "cat .env; for f in .git/config .git/hooks/x deep/in/task-conductor.json .mcp.json gone/.mcp.json; do (echo evil > $f) 2>/dev/null && echo ran $f; done; mv deep/in/task-conductor.json x; echo evil > .envrc; exit 0"
            )
          )
          assert.strictEqual(exit_code, 0)
          assert.notInclude(output, "canary")
          assert.deepStrictEqual(
            Object.entries(texts()).filter(([name]) => !name.endsWith("mcp.json")),
            [
              [".envrc", "evil\n"],
              ["x", "{}"]
            ]
          )
          assert.deepStrictEqual(
            log.events().filter((event) => event.type === "message" && event.level === "warning"),
            []
          )
        })
      )

      liveTest("see toolchains, environments and the lasting cache together with the proposed changes", () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const home = yield* makeFolder
          yield* putFiles(home, {
            ".cargo/registry/one.crate": "package\n",
            ".cargo/credentials.toml": "key",
            "python/bin/python3.12": '#!/bin/sh\ncat "$1"\n',
            "python/lib/python3.12/os.py": ""
          })
          yield* fs.chmod(`${home}/python/bin/python3.12`, 0o755)
          const files = { "a.txt": "old\n", ".gitignore": ".venv\n", ".venv/pyvenv.cfg": "" }
          const { propose, root, run, script, task, texts } = yield* open(
            { files, commands: { home, caches: `${home}/caches` } },
            way
          )
          yield* fs.makeDirectory(`${root}/.venv/bin`)
          yield* fs.symlink(`${home}/python/bin/python3.12`, `${root}/.venv/bin/python`)
          propose("a.txt", "new\n")
          const seen = yield* keeping(root, run(".venv/bin/python", "a.txt"))
          assert.deepStrictEqual(seen, { exit_code: 0, output: "new\n" })
          const read = `cat ${home}/.cargo/registry/one.crate a.txt; cat ${home}/.cargo/credentials.toml`
          const kept = yield* script(`${read} 2>/dev/null; echo kept > "$XDG_CACHE_HOME/a"`)
          assert.deepStrictEqual(kept, { exit_code: 0, output: "package\nnew\n" })
          assert.strictEqual((yield* task().script('cat "$XDG_CACHE_HOME/a" a.txt')).output, "kept\nold\n")
          assert.deepStrictEqual(texts(), { "a.txt": "new\n" })
        })
      )

      liveTest("name the setting when they fail because of the sandbox", () =>
        Effect.gen(function* () {
          const { script } = yield* open({}, way)
          const { changed_files, sandbox } = yield* script(
            "echo 1 > a.txt; echo Could not resolve host: a.test; exit 1"
          )
          assert.deepStrictEqual(changed_files, ["a.txt"])
          assert.include(sandbox ?? "", '"network": true')
        })
      )

      liveTest("neither make nor propose a folder of this program in a home folder that they may write", () =>
        Effect.gen(function* () {
          const homes: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { ".config/other/a": "" }]
          for (const files of homes)
            for (const isHome of [true, false]) {
              const home = yield* makeProject({ "project/a.txt": "", ...files })
              const { script, texts } = yield* open(
                {
                  project: isHome ? home : `${home}/project`,
                  commands: {
                    home,
                    hidden: [`${home}/.config/task-conductor`, `${home}/.local/state/task-conductor`],
                    sandbox: { writable: isHome ? [] : [home] }
                  }
                },
                way
              )
              const attack = [
                `mkdir -p ${home}/.config/task-conductor; echo evil > ${home}/.config/task-conductor/config.json`,
                `mv ${home}/.config ${home}/.c; mkdir -p ${home}/.config/task-conductor`,
                `echo evil > ${home}/.config/task-conductor/config.json`,
                `mkdir -p ${home}/.local/state/task-conductor; echo evil > ${home}/.local/state/task-conductor/a`,
                `echo fine > ${home}/project/b.txt`
              ]
              yield* keeping(home, script(attack.join("\n")))
              const name = isHome ? "project/b.txt" : "b.txt"
              assert.strictEqual(texts()[name], "fine\n")
              assert.notInclude(Object.keys(texts()).join(), "task-conductor")
            }
        })
      )

      liveTest("run side by side without seeing each other", () =>
        Effect.gen(function* () {
          const { root, task } = yield* open({ files: { "a.txt": "a\n" } }, way)
          const tasks = ["one", "two", "three"].map((name) => Object.assign(task(), { name }))
          const outputs = yield* keeping(
            root,
            Effect.forEach(
              tasks,
              ({ name, propose, script }) => {
                propose("a.txt", `${name}\n`, "a\n")
                return script(`cat a.txt >> out.txt; sleep 0.3; cat out.txt`)
              },
              { concurrency: 3 }
            )
          )
          assert.deepStrictEqual(
            outputs.map(({ output }) => output),
            ["one\n", "two\n", "three\n"]
          )
          for (const { name, texts } of tasks)
            assert.deepStrictEqual(texts(), { "a.txt": `${name}\n`, "out.txt": `${name}\n` })
        })
      )
    }
  )
}

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

  liveTest("a script and a folder that are only proposed can be run", () =>
    Effect.gen(function* () {
      const { call, propose } = yield* open()
      propose("tools/run.sh", "cat run.sh | head -c 3")
      const { data } = yield* call({ argv: ["sh", "run.sh"], cwd: "tools" })
      assert.deepStrictEqual(data, { exit_code: 0, output: "cat" })
    })
  )

  liveTest("a rule does not cover a script that the task changes", () =>
    Effect.gen(function* () {
      const files = { "check.sh": "true\n" }
      const { commands, copy, propose } = yield* open({ files })
      const scripts = commands.canonical({ _tag: "RunCommand", argv: ["sh", "check.sh"] }).pipe(
        Effect.map((command) => command.scripts?.map(({ hash }) => hash)),
        Effect.provideService(CurrentCopy, copy)
      )
      const before = yield* scripts
      propose("check.sh", "false\n")
      const after = yield* scripts
      assert.strictEqual(after?.length, 1)
      assert.notDeepEqual(after, before)
    })
  )

  liveTest(
    "a question says that a command writes into the copy, and that it writes into the project outside of a task",
    () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "once"] })
        const scratch = yield* makeFolder
        const { run } = yield* openTools({ commands: { scratch }, approver: approver.layer })
        const command = run("run_command", { argv: ["true"] })
        yield* Effect.provideService(command, CurrentCopy, makeWorkingCopy())
        yield* command
        const words = approver.asked.flat().map(({ details = [], words }) => `${words?.consequence} ${details.at(-1)}`)
        for (const [index, where] of ["a copy of the project", "the project"].entries()) {
          const what = `no network, writes only in ${where}, your home folder is hidden`
          assert.include(words[index], `Runs in the sandbox: ${what}`)
          assert.include(words[index], `Sandbox: yes: ${what}`)
        }
      })
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

  liveTest("paths with commas and colons are no options", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const project = join(yield* makeFolder, "a,b:c\\ d")
      const scratch = join(yield* makeFolder, "x,y:z")
      yield* fs.makeDirectory(project)
      const { run, texts } = yield* open({ project, commands: { scratch } })
      yield* keeping(project, run("sh", "-c", "echo 1 > 'n,:'"))
      assert.deepStrictEqual(texts(), { "n,:": "1\n" })
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

describe("where no copy can be made", () => {
  liveTest(
    "nothing is written into a project that holds the folder for copies",
    () =>
      Effect.gen(function* () {
        const project = yield* makeProject({ "a.txt": "a" })
        const { commands } = yield* openTools({ project, commands: { scratch: join(project, "state/copies") } })
        const { mechanism, words } = yield* keeping(project, commands.copies)
        assert.deepStrictEqual([mechanism, words.endsWith("where copies would lie, is in the project")], ["none", true])
      }),
    needs("bwrap")
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

describe("without a sandbox", () => {
  liveTest("commands run in the project while nothing is proposed, and not at all afterwards", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { call, commands, propose, root, script } = yield* open({ commands: { sandbox: { mode: "off" } } })
      const { mechanism, words } = yield* commands.copies
      assert.strictEqual(mechanism, "none")
      assert.strictEqual(words, "there is no sandbox (it is switched off in your configuration)")
      yield* script("echo 1 > a.txt")
      assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "1\n")
      propose("b.txt", "b")
      const { error_message } = yield* call({ argv: ["sh", "-c", "echo 2 > a.txt"] })
      assert.include(error_message ?? "", "cannot see what this task proposes: there is no sandbox")
      assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "1\n")
    })
  )
})
