import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

describe("get_file_tree", () => {
  const files = {
    "README.md": "",
    "src/a.ts": "",
    "src/deep/b.ts": "",
    "src-old/c.ts": "",
    "out/d.js": "",
    ".gitignore": "out\n"
  }

  nodeTest("lists the files of the project as a JSON array, without what git ignores", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files })
      assert.deepStrictEqual((yield* run("get_file_tree")).data, [
        ".gitignore",
        "README.md",
        "src-old/c.ts",
        "src/a.ts",
        "src/deep/b.ts"
      ])
    })
  )

  for (const path of ["src", "./src/", "/src"]) {
    nodeTest(`lists what lies below ${path} alone`, () =>
      Effect.gen(function* () {
        const { run } = yield* openTools({ files })
        assert.deepStrictEqual((yield* run("get_file_tree", { path })).data, ["src/a.ts", "src/deep/b.ts"])
      })
    )
  }

  nodeTest("takes the absolute path of a folder of the project too", () =>
    Effect.gen(function* () {
      const { root, run } = yield* openTools({ files })
      assert.deepStrictEqual((yield* run("get_file_tree", { path: `${root}/src/deep` })).data, ["src/deep/b.ts"])
      assert.strictEqual((yield* run("get_file_tree", { path: root })).success, true)
    })
  )

  nodeTest("shows what lies deeper than asked for as its folder", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files })
      const listed = (given: Arguments) => Effect.map(run("get_file_tree", given), ({ data }) => data)
      assert.deepStrictEqual(yield* listed({ depth: 1 }), [".gitignore", "README.md", "src-old/", "src/"])
      assert.deepStrictEqual(yield* listed({ path: "src", depth: 1 }), ["src/a.ts", "src/deep/"])
    })
  )

  nodeTest("names the nearest folders when there is nothing below the path", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files })
      const { error_message, error_type } = yield* run("get_file_tree", { path: "scr" })
      assert.deepStrictEqual(
        [error_type, error_message],
        ["not_found", 'The project has no file at or below "scr". Nearest: src, src-old, src/deep.']
      )
    })
  )

  nodeTest("shows a large project by its folders, and says so", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(
        Array.from({ length: 600 }, (_, index) => [`src/part${index % 3}/deep/f${index}.ts`, ""])
      )
      const { run } = yield* openTools({ files: { "README.md": "", ...many } })
      const listed = (given: Arguments) =>
        Effect.map(run("get_file_tree", given), ({ data }) => data as ReadonlyArray<string>)
      assert.deepStrictEqual(yield* listed({}), [
        "README.md",
        "src/part0/deep/",
        "src/part1/deep/",
        "src/part2/deep/",
        "(601 files; those deeper than 3 levels are shown as their folder. Name a folder with path to see them.)"
      ])
      assert.strictEqual((yield* listed({ path: "src/part1/deep" })).length, 200)
      const cut = yield* listed({ depth: 4 })
      assert.deepStrictEqual(
        [cut.length, cut.at(-1)],
        [501, "(101 more are not shown. Name a folder with path to see the rest.)"]
      )
    })
  )
})
