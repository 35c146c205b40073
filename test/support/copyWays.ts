/**
 * What holds for commands in a working copy, whether an overlay or a copy of the project shows them what is proposed.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { Arguments } from "../../src/domain/tools/ToolCall.ts"
import { CurrentCopy, makeWorkingCopy } from "../../src/services/files/WorkingCopy.ts"
import { changedPaths, takeSnapshot } from "./FolderSnapshot.ts"
import { liveTest } from "./liveTest.ts"
import { needs } from "./needs.ts"
import { openTools, type OpenTools } from "./OpenTools.ts"
import { makeFolder, makeProject, putFiles } from "./Project.ts"

interface Outcome {
  readonly exit_code: number
  readonly output: string
  readonly changed_files?: ReadonlyArray<string>
  readonly not_proposed?: ReadonlyArray<string>
  readonly sandbox?: string
}

export type Ways = "overlay" | "copy"

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
export const openCopy = Effect.fnUntraced(function* (given: OpenTools = {}, way: Ways = "overlay") {
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

/** Runs the work and looks whether the project stays as it is, byte for byte. */
export const keeping = <A, E, R>(root: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = takeSnapshot(root)
    const done = yield* work
    assert.deepStrictEqual(changedPaths(before, takeSnapshot(root)), [])
    return done
  })

type WayTest = (name: string, body: Parameters<typeof liveTest<void, unknown>>[1]) => void

/** The tests that are among the short ones. */
const main: ReadonlySet<string> = new Set([
  "say how they see it",
  "see the proposed changes, and what they write is proposed",
  "propose neither what git ignores nor what is no text, and say what was left out",
  "cannot read secrets or change what controls programs"
])

/** The tests of one way: all of them, the main ones, or the others. */
export const testWay = (way: Ways, which: "all" | "main" | "others"): void => {
  const wayTest: WayTest = (name, body) => {
    if (which === "all" || main.has(name) === (which === "main")) liveTest(name, body)
  }
  describe(
    `commands in a working copy, by ${way}`,
    way === "overlay" ? needs("bwrap", "overlay") : needs("bwrap"),
    () => {
      wayTest("say how they see it", function* () {
        const { commands } = yield* openCopy({}, way)
        const { mechanism, words } = yield* commands.copies
        assert.strictEqual(mechanism, way)
        assert.match(
          words,
          way === "copy" ? /^a copy of the project; no overlay can be mounted \(.+\)$/ : /^an overlay /
        )
      })

      wayTest("propose nothing of what builds make anew, without a .gitignore that says so", function* () {
        const files = { "pom.xml": "", "web/build.gradle": "", "kept/target/a.txt": "a", "kept/build/b.txt": "b" }
        const { script } = yield* openCopy({ files }, way)
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

      wayTest("see a file in its encoding, and propose nothing that would be written in another one", function* () {
        const fs = yield* FileSystem.FileSystem
        const latin = Buffer.from("gr\xf6\xdfe\nold\n", "latin1")
        const { propose, root, script, texts } = yield* openCopy(
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

      wayTest("propose a change of a file that git tracks although a pattern ignores it", function* () {
        const files = { ".gitignore": "lib/\n", "lib/a.txt": "a\n", "lib/b.txt": "b\n", "lib/c.txt": "c\n" }
        const { root, script, texts } = yield* openCopy({ files }, way)
        execFileSync("git", ["-C", root, "init", "-q"])
        execFileSync("git", ["-C", root, "add", "-f", "lib/a.txt", "lib/c.txt"])
        const { changed_files } = yield* script(
          "cat lib/b.txt; for f in a b new; do echo 1 > lib/$f.txt; done; rm lib/c.txt"
        )
        assert.deepStrictEqual(changed_files, ["lib/a.txt", "lib/c.txt"])
        assert.deepStrictEqual(texts(), { "lib/a.txt": "1\n", "lib/c.txt": null })
      })

      wayTest("propose no removal of what is only ignored now", function* () {
        const files = { "a.txt": "a\n", "src/b.txt": "b\n" }
        const { script } = yield* openCopy({ files }, way)
        assert.deepStrictEqual((yield* script("echo a.txt > .gitignore; echo 1 > src/CACHEDIR.TAG")).changed_files, [
          ".gitignore"
        ])
      })

      wayTest("see the proposed changes, and what they write is proposed", function* () {
        const files = { "a.txt": "one\n", "sub/b.txt": "two\n", "sub/keep.txt": "keep\n", "old.txt": "old\n" }
        const { propose, root, script, scratch, texts } = yield* openCopy({ files }, way)
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

      wayTest("may remove folders, make them again, and put a file in the place of a folder", function* () {
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
        const { propose, root, script, texts } = yield* openCopy({ files }, way)
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

      wayTest("propose neither what git ignores nor what is no text, and say what was left out", function* () {
        const files = { ".gitignore": "dist\n*.log\n", bin: "\0", "t.txt": "t", "l.txt": "l", "dist/old": "o" }
        const { root, script, texts } = yield* openCopy({ files }, way)
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

      wayTest("propose which files can be executed, and new links within the project", function* () {
        const files = { "a.txt": "a\n", "run.sh": "echo\n", "sub/b.txt": "b\n" }
        const { copy, root, script } = yield* openCopy({ files }, way)
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

      wayTest("may leave files and folders that nobody can read", function* () {
        const { root, script, texts } = yield* openCopy({ files: { "a.txt": "a", "sub/b.txt": "b" } }, way)
        yield* keeping(
          root,
          script("echo c > sub/c.txt; echo 1 >> a.txt; chmod 000 a.txt sub/b.txt sub; mkdir -p x/y; chmod 500 x")
        )
        assert.deepStrictEqual(texts(), { "a.txt": "a1\n", "sub/c.txt": "c\n" })
      })

      wayTest("cannot read secrets or change what controls programs", function* () {
        const files = {
          ".env": "SECRET=canary",
          ".git/HEAD": "ref: refs/heads/main\n",
          ".git/config": "[core]\n",
          ".git/objects/x": "",
          ".git/refs/x": "",
          "deep/in/task-conductor.json": "{}",
          "gone/.mcp.json": "{}"
        }
        const { log, propose, root, script, texts } = yield* openCopy({ files }, way)
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

      wayTest("see toolchains, environments and the lasting cache together with the proposed changes", function* () {
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
        const { propose, root, run, script, task, texts } = yield* openCopy(
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

      wayTest("name the setting when they fail because of the sandbox", function* () {
        const { script } = yield* openCopy({}, way)
        const { changed_files, sandbox } = yield* script("echo 1 > a.txt; echo Could not resolve host: a.test; exit 1")
        assert.deepStrictEqual(changed_files, ["a.txt"])
        assert.include(sandbox ?? "", '"network": true')
      })

      wayTest("neither make nor propose a folder of this program in a home folder that they may write", function* () {
        const homes: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { ".config/other/a": "" }]
        for (const files of homes)
          for (const isHome of [true, false]) {
            const home = yield* makeProject({ "project/a.txt": "", ...files })
            const { script, texts } = yield* openCopy(
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

      wayTest("run side by side without seeing each other", function* () {
        const { root, task } = yield* openCopy({ files: { "a.txt": "a\n" } }, way)
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
    }
  )
}
