/**
 * What a user or a model asks for with a wrong path, a very large file or a place outside the project: the answer says
 * what is wrong and how to go on, instead of an error of the system.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeFolder } from "../../support/Project.ts"

const files = { "src/a.ts": "a\n", "src/b.ts": "b\n", "empty/.keep": "" }

nodeTest("a wrong path is told as such", function* () {
  const fs = yield* FileSystem.FileSystem
  const { root, run } = yield* openTools({ files })
  yield* fs.symlink(`${root}/circle`, `${root}/circle`)
  yield* fs.symlink(`${root}/gone`, `${root}/dangling`)
  const cases: ReadonlyArray<readonly [path: string, type: string, says: string]> = [
    ["src/a.ts/x", "not_found", "A part of the path is a file, not a folder."],
    ["src/a.ts/", "none", ""],
    ["./src//a.ts", "none", ""],
    ["src", "io_error", "is a folder, not a file. Name a file in it: "],
    ["empty", "io_error", "is a folder, not a file. Name a file in it: "],
    ["scr/a.ts", "not_found", `There is no file at ${root}/scr/a.ts. Nearest: src/a.ts`],
    [`${root}/scr/a.ts`, "not_found", `There is no file at ${root}/scr/a.ts. Nearest: src/a.ts`],
    ["src/A.ts", "not_found", "Nearest: src/a.ts"],
    ["a.ts", "not_found", "Nearest: src/a.ts"],
    [`src/${"x".repeat(300)}`, "validation_failed", "The path is too long."],
    [`${"x/".repeat(3000)}a`, "validation_failed", "The path is too long."],
    ["circle", "validation_failed", "Its links form a circle."],
    ["circle/a.ts", "validation_failed", "Its links form a circle."],
    ["nul\0", "validation_failed", "holds a NUL character. Give the path of a file."],
    ["dangling", "not_found", "There is no file at "]
  ]
  for (const [path, type, says] of cases) {
    const { error_message, error_type } = yield* run("read_file", { path })
    assert.strictEqual(error_type, type, error_message ?? "")
    assert.include(error_message ?? "", says)
    assert.notMatch((error_message ?? "").replaceAll(root, ""), /The system says|\bE[A-Z]{4,}\b/)
  }
})

describe("a path with the backslashes of markdown", () => {
  const named = { "src/my_file.go": "one\n", "src/_private/a-b.go": "two\n", "src/odd\\_name.txt": "three\n" }

  nodeTest("is read as the file without them, when only that exists", function* () {
    const fs = yield* FileSystem.FileSystem
    const { root, run } = yield* openTools({ files: named, rules: [{ verdict: "allow", tool: "*" }] })
    assert.strictEqual((yield* run("read_file", { path: "src/my\\_file.go" })).data, "1: one")
    assert.strictEqual((yield* run("read_file", { path: "src/odd\\_name.txt" })).data, "1: three")
    yield* run("edit_file", { path: "src/my\\_file.go", old_text: "one", new_text: "1" })
    yield* run("write_file", { path: "src/\\_private/a\\-b.go", content: "2\n" })
    const texts = yield* Effect.forEach(["src/my_file.go", "src/_private/a-b.go"], (one) =>
      fs.readFileString(`${root}/${one}`)
    )
    assert.deepStrictEqual(texts, ["1\n", "2\n"])
    const found = yield* run("search_files", { pattern: "2", path: "src/\\_private" })
    assert.strictEqual(found.data, "1 match in 1 file.\nsrc/_private/a-b.go:1: 2\n2:")
  })

  nodeTest("is told with the nearest files when neither exists, also by edit_file", function* () {
    const { run } = yield* openTools({ files: named })
    for (const [name, given] of [
      ["read_file", {}],
      ["edit_file", { old_text: "one", new_text: "1" }]
    ] as const) {
      const { error_message, error_type } = yield* run(name, { path: "lib/my\\_file.go", ...given })
      assert.strictEqual(error_type, "not_found")
      assert.match(error_message ?? "", / Nearest: src\/my_file\.go\b/)
    }
  })
})

nodeTest("what lies outside the project says how to work there", function* () {
  const outside = yield* makeFolder
  const { root, run } = yield* openTools({ files })
  const says = `outside the project ${root}, which nothing can allow; start with --project in`
  for (const path of [`${outside}/a.txt`, "../a.txt", "/etc/hosts", `${root}-old/a`]) {
    assert.include((yield* run("write_file", { path, content: "x" })).error_message ?? "", says)
  }
})
