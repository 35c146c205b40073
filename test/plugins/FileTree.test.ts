import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeTest } from "../support/nodeTest.ts"
import { openTools } from "../support/OpenTools.ts"

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
})
