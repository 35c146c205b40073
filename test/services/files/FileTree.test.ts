import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { compareCodePoints } from "../../../src/domain/text/CodePointOrder.ts"
import { listTree, listTreeWithin } from "../../../src/services/files/FileTree.ts"
import { needs } from "../../support/needs.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "core.quotePath=false", "-c", "core.excludesFile=/dev/null", ...args], {
    cwd: folder,
    encoding: "utf8"
  })

/** A repository with rules at every level, as git lays one out, so that git can be asked as well. */
const ruled = {
  ".gitignore": "*.log\n/dist\nbuild/\n!keep.log\ncache/*\n!cache/readme\n",
  "a.log": "",
  "keep.log": "",
  "dist/x.js": "",
  "src/dist/y.js": "",
  "src/build/z.js": "",
  "src/.gitignore": "!debug.log\n*.tmp\n/only-here\n",
  "src/debug.log": "",
  "src/a.tmp": "",
  "src/only-here": "",
  "src/deep/only-here": "",
  "lib/a.tmp": "",
  "lib/A.LOG": "",
  "cache/x": "",
  "cache/readme": "",
  "sub/.gitignore": "*\n!.gitignore\n",
  "sub/file": "",
  "local.txt": "",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/info/exclude": "local.txt\n",
  ".git/objects/.keep": "",
  ".git/refs/.keep": ""
}

/** What the rules leave. */
const unignored = `.gitignore cache/readme keep.log lib/A.LOG lib/a.tmp src/.gitignore src/debug.log src/deep/only-here
  src/dist/y.js sub/.gitignore`.split(/\s+/)

describe("listTree", () => {
  nodeTest("lists files sorted by code point, without .git and node_modules", function* () {
    const listed = [".hidden", "B.txt", "a-b.txt", "a/z.txt", "b.txt", "\uFF5E.txt", "\u{1F600}.txt"]
    const passedOver = [".git/config", "node_modules/x/index.js", "packages/p/node_modules/y/index.js"]
    const files = [...listed.toReversed(), ...passedOver].map((path) => [path, ""] as const)
    const folder = yield* makeProject({ ...Object.fromEntries(files), "packages/p/.git": "gitdir: elsewhere" })
    expect(yield* listTree(folder, 100)).toEqual(listed)
  })

  nodeTest(
    "obeys rule files at every level as git does",
    function* () {
      const folder = yield* makeProject(ruled)
      const listed = git(folder, "ls-files", "--others", "--exclude-standard").trim().split("\n")
      expect(listed.sort(compareCodePoints)).toEqual(unignored)
      expect(yield* listTree(folder, 100)).toEqual(unignored)
    },
    needs("git")
  )

  nodeTest("obeys the rules of the repository around the project", function* () {
    const folder = yield* makeProject({
      ".gitignore": "*.log\n/packages/app/generated/\nold/\n",
      "packages/.gitignore": "*.map\n",
      "packages/app/a.ts": "",
      "packages/app/a.log": "",
      "packages/app/a.map": "",
      "packages/app/generated/b.ts": "",
      "old/c.ts": "",
      "old/c.log": "",
      ".git/HEAD": "ref: refs/heads/main\n"
    })
    expect(yield* listTree(`${folder}/packages/app`, 100)).toEqual(["a.ts"])
    expect(yield* listTree(`${folder}/old`, 100)).toEqual(["c.log", "c.ts"])
  })

  nodeTest("lists links and does not follow them, leaves out pipes", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* makeProject({ "secret.txt": "" })
    const folder = yield* makeProject({ "a.txt": "" })
    yield* fs.symlink(outside, `${folder}/out`)
    yield* fs.symlink(folder, `${folder}/round`)
    yield* fs.symlink("nowhere", `${folder}/dangling`)
    execFileSync("mkfifo", [`${folder}/pipe`])
    expect(yield* listTree(folder, 100)).toEqual(["a.txt", "dangling", "out", "round"])
  })

  nodeTest("stops at the limit", function* () {
    const folder = yield* makeProject({ "a/1": "", "a/2": "", "b/3": "" })
    const failure = yield* Effect.flip(listTree(folder, 4))
    expect([failure.type, failure.message]).toEqual([
      "output_limit",
      `${folder} holds more than 4 files. Ignore generated files in .gitignore, or choose a smaller project folder.`
    ])
    expect(yield* listTree(folder, 5)).toHaveLength(3)
  })

  /** What a bounded listing holds, and the folders that it did not open. */
  const within = Effect.fnUntraced(function* (folder: string, options: Parameters<typeof listTreeWithin>[1]) {
    const { files, isWhole, unread } = yield* listTreeWithin(folder, options)
    expect(isWhole).toBe(unread.length === 0)
    return [files.join(" "), unread.join(" ")]
  })

  nodeTest("ends a bounded listing with the top of the project and says that there is more", function* () {
    const folder = yield* makeProject({ "a/b/c/1": "", "a/b/2": "", "a/3": "", "b/4": "", "5": "", "6": "" })
    expect(yield* within(folder, { entries: 4 })).toEqual(["5 6 a/3 b/4", "a/b"])
    expect(yield* within(folder, { entries: 3 })).toEqual(["5 6", "a b"])
    expect(yield* within(folder, { entries: 100 })).toEqual(["5 6 a/3 a/b/2 a/b/c/1 b/4", ""])
  })

  nodeTest("opens no further folder when its time is over", function* () {
    const folder = yield* makeProject({ "a/b/1": "", "2": "" })
    expect(yield* within(folder, { entries: 100, until: 0 })).toEqual(["2", "a"])
    expect(yield* within(folder, { entries: 100, until: 1 })).toEqual(["2 a/b/1", ""])
    expect(yield* within(`${folder}/a/b`, { entries: 100, until: 0 })).toEqual(["1", ""])
  })
})
