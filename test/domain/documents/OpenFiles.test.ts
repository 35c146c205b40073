import { assert, describe, it } from "@effect/vitest"
import { namedFiles, openFilesNote, wantedTest, type WantedTest } from "../../../src/domain/documents/OpenFiles.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const edit = (path: string) => gave("edit_file", { path }, "edited")
const unread = (path: string) => ` Named in the task, and neither read nor changed yet: ${path}.`
const unchanged = (path: string) => ` Named in the task, and not changed so far: ${path}.`

it("names paths with a folder, names of files in backticks, and names of pages", () => {
  const text =
    "In src/parse.ts, then docs/usage.md. See `README.md`, CHANGES.rst, ./test/parse.test.ts, and `limits.turns`."
  const paths = ["src/parse.ts", "docs/usage.md", "README.md", "CHANGES.rst", "test/parse.test.ts"]
  assert.deepStrictEqual(namedFiles(text), paths)
  const others = "Node.js reads https://a.example/b.json, src/*.ts, src/lib and 1/2 or and/or, at 3.5/4.5."
  assert.deepStrictEqual([namedFiles(others), namedFiles("src/a.ts and src/a.ts")], [[], ["src/a.ts"]])
})

it("asks for a test where the text says to write one", () => {
  const yes = ["Fix it, and add a test and an entry.", "Extend the existing tests.", "Cover it with tests."]
  const no = ["Make the tests pass.", "Fix the latest version.", "Change the limit. The tests are slow."]
  for (const text of [...yes, ...no]) assert.strictEqual(wantedTest(text) !== undefined, yes.includes(text), text)
  const examples = "`parse()` in `src/a.ts`, with `npm run build`: `f(a, b)` is no link. Add a test."
  assert.deepStrictEqual(wantedTest(examples), { example: "f(a, b)" })
})

describe("openFilesNote", () => {
  const named = ["src/a.ts", "docs/a.md"]
  const any = { example: undefined }
  const noteOf = (outcomes: ReadonlyArray<CallOutcome>, promptText = "", test?: WantedTest, files = named) =>
    openFilesNote({ named: files, test, promptText, outcomes })

  it("names files that were not shown, and that no call that succeeded was about", () => {
    assert.strictEqual(noteOf([]), unread("src/a.ts, docs/a.md"))
    assert.strictEqual(noteOf([], "Path: src/a.ts\n"), unread("docs/a.md"))
    const look = gave("read_file", { path: "/project/docs/a.md" }, "text")
    assert.strictEqual(noteOf([look]), unread("src/a.ts"))
    const missing = failed("read_file", { path: "src/a.ts" }, "not_found", "There is none.")
    assert.strictEqual(noteOf([look, missing]), unread("src/a.ts"))
    assert.strictEqual(noteOf([look, gave("read_file", { path: "src/a.ts" }, "text")], "", any), "")
  })

  it("names files without a change once something is changed, and says if a test is missing", () => {
    const look = gave("read_file", { path: "docs/a.md" }, "text")
    assert.strictEqual(noteOf([look, edit("./src/a.ts")], "Path: docs/a.md\n"), unchanged("docs/a.md"))
    assert.strictEqual(noteOf([edit("src/a.ts"), edit("docs/a.md")], "", any), unchanged("a test"))
    assert.strictEqual(noteOf([edit("src/a.ts"), edit("docs/a.md"), edit("test/a.test.ts")], "", any), "")
    const tested = [edit("docs/a.md"), gave("edit_file", { path: "test/a.test.ts", new_text: 'f( a,"b")' }, "edited")]
    assert.strictEqual(noteOf([edit("src/a.ts"), ...tested], "", { example: "f(a, 'b')" }), "")
    assert.include(noteOf(tested, "", { example: "f(a, 'c')" }), "so far: src/a.ts, a test of `f(a, 'c')`.")
    const moved = gave("move_file", { path: "src/b.ts", to: "src/a.ts" }, "moved")
    assert.strictEqual(noteOf([moved]), unchanged("docs/a.md"))
  })

  it("names six, and counts the rest", () => {
    const many = Array.from({ length: 8 }, (_, index) => `src/${index}.ts`)
    assert.include(noteOf([], "", undefined, many), "src/5.ts, 2 more.")
    assert.include(noteOf([], "", undefined, many.slice(0, 6)), "src/5.ts.")
  })
})
