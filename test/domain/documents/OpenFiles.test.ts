import { assert, describe, it } from "@effect/vitest"
import { namedFiles, openFilesNote } from "../../../src/domain/documents/OpenFiles.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const note = (path: string) => ` Named in the task, and neither read nor changed yet: ${path}.`

describe("namedFiles", () => {
  it("are paths with a folder, and names of files in backticks", () => {
    const text =
      "Change `parse` in src/parse.ts, then docs/usage.md. See `README.md`, ./test/parse.test.ts, and `limits.turns`."
    assert.deepStrictEqual(
      namedFiles(text),
      ["README.md", "src/parse.ts", "docs/usage.md", "test/parse.test.ts"].toSorted(
        (a, b) => text.indexOf(a) - text.indexOf(b)
      )
    )
  })

  it("are no addresses, patterns, folders or products", () => {
    assert.deepStrictEqual(
      namedFiles("Node.js reads https://a.example/b.json, src/*.ts, src/lib and 1/2 or and/or, at 3.5/4.5."),
      []
    )
    assert.deepStrictEqual(namedFiles("src/a.ts and src/a.ts"), ["src/a.ts"])
  })
})

describe("openFilesNote", () => {
  const named = ["src/a.ts", "docs/a.md"]

  it("names files that were not shown, and that no call that succeeded was about", () => {
    assert.strictEqual(openFilesNote(named, "", []), note("src/a.ts, docs/a.md"))
    assert.strictEqual(openFilesNote(named, "Path: src/a.ts\n", []), note("docs/a.md"))
    const look = gave("read_file", { path: "/project/docs/a.md" }, "text")
    assert.strictEqual(openFilesNote(named, "", [look]), note("src/a.ts"))
    const missing = failed("read_file", { path: "src/a.ts" }, "not_found", "There is none.")
    assert.strictEqual(openFilesNote(named, "", [look, missing]), note("src/a.ts"))
    const edit = gave("edit_file", { path: "./src/a.ts" }, "edited")
    assert.strictEqual(openFilesNote(named, "", [look, edit]), "")
  })

  it("names six, and counts the rest", () => {
    const many = Array.from({ length: 8 }, (_, index) => `src/${index}.ts`)
    assert.include(openFilesNote(many, "", []), "src/5.ts and 2 more.")
    assert.include(openFilesNote(many.slice(0, 6), "", []), "src/5.ts.")
  })
})
