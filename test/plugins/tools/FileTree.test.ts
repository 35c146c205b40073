import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const files = {
  "README.md": "",
  "src/a.ts": "",
  "src/deep/b.ts": "",
  "src-old/c.ts": "",
  "out/d.js": "",
  ".gitignore": "out\n"
}

describe("get_file_tree", () => {
  nodeTest(
    "lists what git does not ignore, below any spelling of a path, and what lies deeper as its folder",
    function* () {
      const { root, run } = yield* openTools({ files })
      const top = [".gitignore", "README.md"]
      const below = ["src/a.ts", "src/deep/b.ts"]
      const rows: ReadonlyArray<[given: Arguments, listed: ReadonlyArray<string>]> = [
        [{}, [...top, "src-old/c.ts", ...below]],
        [{ path: root }, [...top, "src-old/c.ts", ...below]],
        [{ path: "src" }, below],
        [{ path: "./src/" }, below],
        [{ path: "/src" }, below],
        [{ path: `${root}/src/deep` }, ["src/deep/b.ts"]],
        [{ depth: 1 }, [...top, "src-old/", "src/"]],
        [{ path: "src", depth: 1 }, ["src/a.ts", "src/deep/"]]
      ]
      for (const [given, listed] of rows) {
        assert.deepStrictEqual((yield* run("get_file_tree", given)).data, listed, JSON.stringify(given))
      }
      const { error_message, error_type } = yield* run("get_file_tree", { path: "scr" })
      assert.strictEqual(error_type, "not_found")
      assert.strictEqual(error_message, 'The project has no file at or below "scr". Nearest: src, src-old, src/deep.')
    }
  )

  nodeTest("shows a large project by its folders, and says so", function* () {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`src/part${index % 3}/deep/f${index}.ts`, ""])
    )
    const { run } = yield* openTools({ files: { "README.md": "", ...many } })
    const listed = (given: Arguments) =>
      Effect.map(run("get_file_tree", given), ({ data }) => data as ReadonlyArray<string>)
    assert.deepStrictEqual(yield* listed({}), [
      "README.md",
      ...[0, 1, 2].map((part) => `src/part${part}/deep/`),
      "(601 files; those deeper than 3 levels are shown as their folder. Name a folder with path to see them.)"
    ])
    assert.lengthOf(yield* listed({ path: "src/part1/deep" }), 200)
    const cut = yield* listed({ depth: 4 })
    const rest = "(101 more are not shown. Name a folder with path to see the rest.)"
    assert.deepStrictEqual([cut.length, cut.at(-1)], [501, rest])
  })
})
