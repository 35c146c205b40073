import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { callOf, openTools, type OpenTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

/** Tools on one file with this text or these bytes, and what it holds now. */
const open = Effect.fnUntraced(function* (content?: string | Buffer, more: OpenTools = {}) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* openTools(more)
  const path = `${opened.root}/a.txt`
  if (content !== undefined) yield* fs.writeFile(path, typeof content === "string" ? Buffer.from(content) : content)
  return {
    ...opened,
    fs,
    path,
    write: (content: string) => opened.run("write_file", { path: "a.txt", content }),
    edit: (old_text: string, new_text: string) => opened.run("edit_file", { path: "a.txt", old_text, new_text }),
    bytes: Effect.map(fs.readFile(path), (read) => Buffer.from(read)),
    text: fs.readFileString(path)
  }
})

describe("write_file", () => {
  nodeTest("creates a file with its folders, and replaces one, and returns path, bytes and diff", function* () {
    const { fs, root, run, text, write } = yield* open("old\n")
    const path = `${root}/docs/new/a.txt`
    const created = yield* run("write_file", { path: "docs/new/a.txt", content: "ä\n" })
    const diff = `--- /dev/null\n+++ docs/new/a.txt\n@@ -0,0 +1 @@\n+ä`
    assert.deepStrictEqual([created.data, yield* fs.readFileString(path)], [{ path, bytes: 3, diff }, "ä\n"])
    const replaced = { path: `${root}/a.txt`, bytes: 4, diff: `--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new` }
    assert.deepStrictEqual([(yield* write("new\n")).data, yield* text], [replaced, "new\n"])
    assert.deepStrictEqual((yield* write("new\n")).data, { ...replaced, diff: "" })
    assert.deepStrictEqual((yield* fs.readDirectory(root)).toSorted(), ["a.txt", "docs"])
  })

  nodeTest("replaces what is not text, without a diff", function* () {
    const { path, write } = yield* open(Buffer.of(0, 0xff))
    const diff = "(The old content could not be read, so there is no diff.)"
    assert.deepStrictEqual((yield* write("x")).data, { path, bytes: 1, diff })
  })

  nodeTest("keeps its result below the cap for outputs, however large the change", function* () {
    const { write } = yield* open()
    const contents = ["line\n".repeat(20_000), "x".repeat(1_000_000), `${"\u001b".repeat(1000)}\n`.repeat(1000)]
    for (const content of contents) assert.strictEqual((yield* write(content)).error_type, "none")
  })
})

describe("edit_file", () => {
  nodeTest("replaces one place, or several in one call, and returns path and diff", function* () {
    const { edit, fs, path, root, run, text } = yield* open("one\ntwo\nthree\nfour four\n")
    const diff = `--- a.txt\n+++ a.txt\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four four`
    assert.deepStrictEqual((yield* edit("two", "2")).data, { path, diff })
    assert.strictEqual(yield* text, "one\n2\nthree\nfour four\n")
    const edits: ReadonlyArray<Schema.JsonObject> = [
      { old_text: "one", new_text: "1" },
      { old_text: "four", new_text: "4", replace_all: true }
    ]
    yield* run("edit_file", { path: "a.txt", edits })
    assert.strictEqual(yield* text, "1\n2\nthree\n4 4\n")
    assert.deepStrictEqual(yield* fs.readDirectory(root), ["a.txt"])
  })

  nodeTest(
    "keeps byte order mark, line ends, the missing last line end, the mode, and the other name of a file",
    function* () {
      const { bytes, edit, fs, path } = yield* open("\uFEFFone\r\ntwo\r\nthree")
      yield* fs.chmod(path, 0o755)
      const other = `${yield* fs.makeTempDirectoryScoped()}/b.txt`
      yield* fs.link(path, other)
      yield* edit("one\ntwo", "1\n2")
      assert.deepStrictEqual(yield* bytes, Buffer.from("\uFEFF1\r\n2\r\nthree"))
      assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o755)
      assert.include(yield* fs.readFileString(other), "one")
    }
  )

  const kept: ReadonlyArray<[name: string, before: Buffer, after: Buffer]> = [
    ["Latin-1", Buffer.from("größe\r\none\r\n", "latin1"), Buffer.from("größe\r\ntwo\r\n", "latin1")],
    ["Shift-JIS", Buffer.from("\x83\x65\x81\x5c\none", "latin1"), Buffer.from("\x83\x65\x81\x5c\ntwo", "latin1")],
    ["partly UTF-8", Buffer.from("\xc3\xbc \xe9\none", "latin1"), Buffer.from("\xc3\xbc \xe9\ntwo", "latin1")]
  ]
  for (const [name, before, after] of kept) {
    nodeTest(
      `keeps all other bytes of a file in ${name}, and loses nothing of it with a character that it lacks`,
      function* () {
        const { bytes, edit, write } = yield* open(before)
        yield* edit("one", "two")
        assert.deepStrictEqual(yield* bytes, after)
        if (!/^(?:Latin|Shift)/.test(name)) return
        for (const call of [edit("two", "😀"), write("😀")]) {
          const { error_message, error_type } = yield* call
          assert.strictEqual(error_type, "validation_failed")
          assert.match(error_message ?? "", /which has no "😀" \(line \d\)\..* Nothing was changed\.$/)
          assert.deepStrictEqual(yield* bytes, after)
        }
      }
    )
  }

  nodeTest("says what does not fit before anybody is asked", function* () {
    const approver = scriptedApprover({})
    const { root, run } = yield* open("one\n", { approver: approver.layer })
    const failure = (path: string) =>
      Effect.map(run("edit_file", { path, old_text: "two", new_text: "x" }), ({ error_message, error_type }) => [
        error_type,
        error_message
      ])
    const unlike =
      "Nothing was changed. The old_text does not occur in a.txt. No line is similar. Read the file and copy the lines from it."
    assert.deepStrictEqual(yield* failure("a.txt"), ["validation_failed", unlike])
    const missing = `There is no file at ${root}/b.txt. Nearest: a.txt. Only a file that exists can be edited; write_file creates one.`
    assert.deepStrictEqual(yield* failure("b.txt"), ["not_found", missing])
    const folder = `${root} is a folder, not a file. Name a file in it: ${root}/a.txt.`
    assert.deepStrictEqual(yield* failure("."), ["io_error", folder])
    assert.deepStrictEqual(approver.asked, [])
  })

  nodeTest("asks a model for one of the two forms", function* () {
    const { registry } = yield* openTools()
    const issuesOf = (given: Arguments) =>
      registry.check(callOf("edit_file", given), new Set(["edit_file"])).issues.map(({ how }) => how)
    const pair = { old_text: "b", new_text: "c" }
    const neither = ["Give either old_text and new_text, or edits."]
    const rows: ReadonlyArray<[given: Arguments, issues: ReadonlyArray<string>]> = [
      [{ path: "a", ...pair }, []],
      [{ path: "a", edits: [pair] }, []],
      [{ path: "a" }, neither],
      [{ path: "a", old_text: "b" }, neither],
      [{ path: "a", ...pair, edits: [pair] }, neither]
    ]
    for (const [given, issues] of rows) assert.deepStrictEqual<unknown>(issuesOf(given), issues)
  })

  nodeTest("is a form that any plugin can use", function* () {
    const stamp = definePlugin({
      name: "stamp",
      tools: Effect.succeed({
        stamp: tool({
          description: "Stamps a file.",
          parameters: Schema.Struct({}),
          risk: "safe",
          effect: "once",
          access: () => [{ _tag: "EditFile", path: "a.txt", edits: [{ oldText: "DATE", newText: "today" }] }],
          execute: Effect.fnUntraced(function* (_params, { granted: [granted] }) {
            if (granted?._tag !== "WriteFile") return yield* Effect.die("nothing granted")
            yield* (yield* Workspace).write(granted)
            return granted.content
          })
        })
      })
    })
    const { registry, run, text } = yield* open("DATE\n", { plugins: [stamp] })
    assert.strictEqual((yield* registry.prepare(callOf("stamp"))).risk, "high")
    assert.deepStrictEqual([(yield* run("stamp")).data, yield* text], ["today\n", "today\n"])
  })
})
