import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { listTree, listTreeWithin } from "../../../src/services/files/FileTree.ts"
import { needs } from "../../support/needs.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const settings = ["user.name=A", "user.email=a@example.org", "protocol.file.allow=always", "commit.gpgSign=false"]

const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...settings.flatMap((one) => ["-c", one]), ...args], { cwd: folder, encoding: "utf8", env })

/** Git ignores both folders by patterns and tracks a file in each, one of them with a long path. */
const long = `lib/${"deep/".repeat(30)}größe.js`
const files = {
  ".gitignore": "lib/\nbuild/\n*.gen.ts\n",
  "src/a.js": "",
  "src/b.gen.ts": "",
  "lib/util.js": "",
  "lib/other.js": "",
  "build/out.js": "",
  [long]: ""
}
const tracked = [".gitignore", "lib/util.js", long, "src/a.js", "src/b.gen.ts"].toSorted()

const trackAll = (folder: string): void => {
  git(folder, "add", ".")
  git(folder, "add", "-f", "lib/util.js", long, "src/b.gen.ts")
  git(folder, "commit", "-qm", "first")
}

/** The forms that an index may have, and how git is told to write them. */
const forms: Readonly<Record<string, string>> = {
  "version 2": "git update-index --index-version 2",
  "version 3": "git rm -q --cached src/a.js; git add -N src/a.js",
  "version 4": "git update-index --index-version 4",
  "a split index": "git update-index --split-index",
  "a split index with changes":
    "git rm -q --cached lib/util.js; git update-index --split-index; git add -f lib/util.js",
  "names of SHA-256": ":"
}

describe("what git tracks", needs("git"), () => {
  for (const [name, write] of Object.entries(forms)) {
    nodeTest(`is listed although a pattern ignores it, from ${name}`, function* () {
      const folder = yield* makeProject(files)
      git(folder, "init", "-q", ...(name.includes("SHA") ? ["--object-format=sha256"] : []))
      trackAll(folder)
      execFileSync("sh", ["-ec", write], { cwd: folder, env })
      const whole = { files: tracked, isWhole: true, unread: [], passedOver: [], problems: [] }
      expect(yield* listTreeWithin(folder, { entries: 100 })).toEqual(whole)
      expect(git(folder, "-c", "core.quotePath=false", "ls-files").trim().split("\n").toSorted()).toEqual(tracked)
      expect(yield* listTree(`${folder}/src`, 100)).toEqual(["a.js", "b.gen.ts"])
    })
  }

  nodeTest("is found in a worktree, in a submodule that a pattern ignores, and in a repository inside", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.realPath(yield* makeProject(files))
    git(folder, "init", "-q")
    trackAll(folder)
    const other = yield* makeProject({ ".gitignore": "*.o\n", "kept.o": "", "c.c": "" })
    git(other, "init", "-q")
    git(other, "add", "-f", ".")
    git(other, "commit", "-qm", "first")
    const worktree = `${yield* fs.makeTempDirectoryScoped()}/tree`
    git(folder, "worktree", "add", "-q", worktree)
    yield* fs.writeFileString(`${worktree}/lib/untracked.js`, "")
    yield* fs.writeFileString(`${folder}/.git/info/exclude`, "local.txt\n")
    yield* fs.writeFileString(`${worktree}/local.txt`, "")
    expect(yield* listTree(worktree, 100)).toEqual(tracked)
    git(folder, "submodule", "--quiet", "add", "-f", other, "build/sub")
    yield* fs.writeFileString(`${folder}/build/sub/made.o`, "")
    git(folder, "clone", "-q", other, "inner")
    expect(yield* listTree(folder, 100)).toEqual(
      [
        ...tracked,
        ".gitmodules",
        ...["build/sub", "inner"].flatMap((one) => ["c.c", "kept.o", ".gitignore"].map((name) => `${one}/${name}`))
      ].toSorted()
    )
  })

  nodeTest("is named and not listed in node_modules, and never what it does not track there", function* () {
    const folder = yield* makeProject({ "a.js": "", "node_modules/x/i.js": "", "node_modules/y.js": "" })
    git(folder, "init", "-q")
    git(folder, "add", "node_modules/x")
    expect(yield* listTreeWithin(folder, { entries: 100 })).toMatchObject({
      files: ["a.js"],
      passedOver: ["node_modules/x/i.js"]
    })
  })

  nodeTest("is not known from an index that cannot be read, which is said", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ ".gitignore": "lib/\n", "lib/a.js": "", "b.js": "", ".git/HEAD": "" })
    expect((yield* listTreeWithin(folder, { entries: 9 })).problems).toEqual([])
    yield* fs.writeFileString(`${folder}/.git/index`, "")
    const { files: listed, problems } = yield* listTreeWithin(folder, { entries: 9 })
    expect(listed).toEqual([".gitignore", "b.js"])
    expect(problems.join()).toContain("cannot be read (it is no index)")
  })
})

describe("patterns of git", needs("git"), () => {
  nodeTest("count as bytes: a line that is no UTF-8 spoils no other, as in git", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ "a.js": "", "build/out.js": "", "größe.txt": "", "b.tmp": "" })
    git(folder, "init", "-q")
    const rules: ReadonlyArray<Buffer> = [
      Buffer.from("# größe\n/build/\n*.tmp\n", "latin1"),
      Buffer.from("größe.txt\r\n/build/\r\n*.tmp\r\n", "latin1"),
      Buffer.from("\uFEFF/build/\n*.tmp\n"),
      Buffer.concat([Buffer.of(0xff, 10), Buffer.from("/build/\n*.tmp\ngröße.txt\n")]),
      Buffer.from("/build/\n*.tmp\n", "utf16le"),
      Buffer.concat([Buffer.alloc(1_100_000, "# long\n"), Buffer.from("\n/build/\n")])
    ]
    for (const bytes of rules) {
      yield* fs.writeFile(`${folder}/.gitignore`, bytes)
      const listed = git(folder, "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard")
      expect(yield* listTree(folder, 100)).toEqual(listed.trim().split("\n").toSorted())
    }
  })

  nodeTest("lets what lies in one folder be listed alone, also of a project that is too large", function* () {
    const folder = yield* makeProject({
      ".gitignore": "out/\n*.log\n",
      "a/.gitignore": "!kept.log\n",
      "a/b/c.ts": "",
      "a/kept.log": "",
      "a/no.log": "",
      "out/x.js": "",
      "z/1": "",
      "z/2": "",
      "z/3": ""
    })
    const below = (name: string) => Effect.map(listTreeWithin(folder, { entries: 4, below: name }), (one) => one.files)
    expect(yield* below("a")).toEqual(["a/.gitignore", "a/b/c.ts", "a/kept.log"])
    expect(yield* below("a/b/c.ts")).toEqual(["a/b/c.ts"])
    for (const none of ["out", "out/x.js", "a/no.log", "none", "a/../z", "../x"]) expect(yield* below(none)).toEqual([])
    expect((yield* listTreeWithin(folder, { entries: 4 })).isWhole).toBe(false)
  })
})
