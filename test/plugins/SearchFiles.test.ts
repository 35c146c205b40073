import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Arguments } from "../../src/domain/ToolCall.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { openTools } from "../support/OpenTools.ts"

const searched = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, given: Arguments) {
  const { run } = yield* openTools({ files })
  return (yield* run("search_files", given)).data
})

describe("search_files", () => {
  const files = {
    "README.md": "Use parseConfig.\n",
    "src/config.ts": "// config\r\nexport const parseConfig = 1\n",
    "src/other.ts": "PARSECONFIG\n",
    "out/built.js": "parseConfig\n",
    ".gitignore": "out\n"
  }

  nodeTest("finds lines with the text in any letter case, with path and line", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "parseconfig" }),
        [
          "README.md:1: Use parseConfig.",
          "src/config.ts:2: export const parseConfig = 1",
          "src/other.ts:1: PARSECONFIG"
        ].join("\n")
      )
    })
  )

  nodeTest("minds letter case and the folder when told so", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "parseConfig", path: "src", case_sensitive: true }),
        "src/config.ts:2: export const parseConfig = 1"
      )
    })
  )

  nodeTest("takes the pattern as plain text", () =>
    Effect.gen(function* () {
      const plain = { "a.txt": "a+b (x)\naab\n--pre=sh\n" }
      assert.strictEqual(yield* searched(plain, { pattern: "a+b (" }), "a.txt:1: a+b (x)")
      assert.strictEqual(yield* searched(plain, { pattern: "--pre=sh" }), "a.txt:3: --pre=sh")
    })
  )

  nodeTest("says that nothing was found, and where", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "zebra", path: "src" }),
        'No line of the 2 files below src holds "zebra".'
      )
    })
  )

  nodeTest("says when there are more lines than were asked for", () =>
    Effect.gen(function* () {
      const many = { "a.txt": "x\nx\nx\n", "b.txt": "x\n" }
      const cut = "(Only the first 3 lines are shown. Narrow the pattern or the path.)"
      assert.strictEqual(
        yield* searched(many, { pattern: "x", max_results: 3 }),
        ["a.txt:1: x", "a.txt:2: x", "a.txt:3: x", cut].join("\n")
      )
      assert.strictEqual(
        yield* searched(many, { pattern: "x", max_results: 4 }),
        ["a.txt:1: x", "a.txt:2: x", "a.txt:3: x", "b.txt:1: x"].join("\n")
      )
    })
  )

  nodeTest("shows a long line around its match", () =>
    Effect.gen(function* () {
      const long = `${"a".repeat(1000)}NEEDLE${"b".repeat(1000)}`
      assert.strictEqual(
        yield* searched({ "a.txt": long }, { pattern: "needle" }),
        `a.txt:1: ...${"a".repeat(100)}NEEDLE${"b".repeat(194)}...`
      )
    })
  )

  nodeTest("does not read secrets, binary files, or links that lead out of the project", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      yield* fs.writeFileString(`${outside}/secret.txt`, "needle outside\n")
      const { root, run } = yield* openTools({ files: { "a.txt": "needle\n", ".env": "KEY=needle\n" } })
      yield* fs.symlink(`${outside}/secret.txt`, `${root}/link.txt`)
      yield* fs.symlink(outside, `${root}/folder`)
      yield* fs.symlink(`${root}/.env`, `${root}/harmless.txt`)
      yield* fs.writeFileString(`${root}/b.bin`, "needle\0\0")
      const { data } = yield* run("search_files", { pattern: "needle" })
      assert.strictEqual(data, "a.txt:1: needle\n(Not searched: 1 files that look like secrets.)")
    })
  )

  nodeTest("passes over links that lead nowhere or go round in a circle", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "z.txt": "needle\n" } })
      yield* fs.symlink("circle", `${root}/circle`)
      yield* fs.symlink("nowhere", `${root}/dangling`)
      assert.strictEqual((yield* run("search_files", { pattern: "needle" })).data, "z.txt:1: needle")
    })
  )
})
