import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools, callOf } from "../../support/OpenTools.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import * as Schema from "effect/Schema"
import { layerAllowAll, scriptedApprover } from "../../support/ScriptedApprover.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

describe("write_file", () => {
  nodeTest("creates a file with its folders and returns path, bytes and diff", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools()
      const path = `${root}/docs/new/a.txt`
      assert.deepStrictEqual((yield* run("write_file", { path: "docs/new/a.txt", content: "ä\n" })).data, {
        path,
        bytes: 3,
        diff: `--- /dev/null\n+++ docs/new/a.txt\n@@ -0,0 +1 @@\n+ä`
      })
      assert.strictEqual(yield* fs.readFileString(path), "ä\n")
    })
  )

  nodeTest("replaces a file and leaves nothing else behind", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "old\n" } })
      const path = `${root}/a.txt`
      const { data } = yield* run("write_file", { path, content: "new\n" })
      assert.deepStrictEqual(data, {
        path,
        bytes: 4,
        diff: `--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new`
      })
      assert.deepStrictEqual(yield* fs.readDirectory(root), ["a.txt"])
    })
  )

  nodeTest("gives the same result when it is repeated", () =>
    Effect.gen(function* () {
      const { root, run } = yield* openTools({ files: { "a.txt": "same\n" } })
      const { data } = yield* run("write_file", { path: "a.txt", content: "same\n" })
      assert.deepStrictEqual(data, { path: `${root}/a.txt`, bytes: 5, diff: "" })
    })
  )

  nodeTest("replaces what is not text, without a diff", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools()
      yield* fs.writeFile(`${root}/a.bin`, new Uint8Array([0, 0xff]))
      const { data } = yield* run("write_file", { path: "a.bin", content: "x" })
      assert.deepStrictEqual(data, {
        path: `${root}/a.bin`,
        bytes: 1,
        diff: "(The old content could not be read, so there is no diff.)"
      })
    })
  )

  nodeTest("keeps its result below the cap for outputs, however large the change", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      const contents = ["line\n".repeat(20_000), "x".repeat(1_000_000), `${"\u001b".repeat(1000)}\n`.repeat(1000)]
      for (const content of contents) {
        assert.strictEqual((yield* run("write_file", { path: "a.txt", content })).error_type, "none")
      }
    })
  )

  nodeTest("changes nothing when it is denied", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "old\n" }, approver: Approver.layerDenyAll })
      assert.strictEqual(
        (yield* run("write_file", { path: "a.txt", content: "new\n" })).error_type,
        "permission_denied"
      )
      assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "old\n")
    })
  )
})

const replacing = (path: string, old_text: string, new_text: string): Arguments => ({ path, old_text, new_text })

/** The text of a file with a byte order mark and CRLF. */
const marked = "\uFEFFone\r\ntwo\r\nthree"

describe("edit_file", () => {
  nodeTest("replaces one place and returns path and diff", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "one\ntwo\nthree\n" } })
      const path = `${root}/a.txt`
      assert.deepStrictEqual((yield* run("edit_file", replacing("a.txt", "two", "2"))).data, {
        path,
        diff: `--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three`
      })
      assert.strictEqual(yield* fs.readFileString(path), "one\n2\nthree\n")
      assert.deepStrictEqual(yield* fs.readDirectory(root), ["a.txt"])
    })
  )

  nodeTest("makes several changes of one file in one call", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "one two two\n" } })
      const edits: ReadonlyArray<Schema.JsonObject> = [
        { old_text: "one", new_text: "1" },
        { old_text: "two", new_text: "2", replace_all: true }
      ]
      assert.isTrue((yield* run("edit_file", { path: "a.txt", edits })).success)
      assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "1 2 2\n")
    })
  )

  nodeTest("keeps byte order mark, line ends, the missing last line end, and the mode", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": marked } })
      yield* fs.chmod(`${root}/a.txt`, 0o755)
      assert.isTrue((yield* run("edit_file", replacing("a.txt", "one\ntwo", "1\n2"))).success)
      assert.strictEqual(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(yield* fs.readFile(`${root}/a.txt`)),
        "\uFEFF1\r\n2\r\nthree"
      )
      assert.strictEqual((yield* fs.stat(`${root}/a.txt`)).mode & 0o777, 0o755)
    })
  )

  nodeTest("writes a new file in the place of a hard link, so that the other name keeps its text", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "one\n" } })
      const outside = yield* fs.makeTempDirectoryScoped()
      yield* fs.link(`${root}/a.txt`, `${outside}/b.txt`)
      assert.isTrue((yield* run("edit_file", replacing("a.txt", "one", "two"))).success)
      assert.strictEqual(yield* fs.readFileString(`${outside}/b.txt`), "one\n")
    })
  )

  const kept: ReadonlyArray<[name: string, before: Buffer, after: Buffer]> = [
    ["Latin-1", Buffer.from("größe\r\none\r\n", "latin1"), Buffer.from("größe\r\ntwo\r\n", "latin1")],
    ["UTF-16LE", Buffer.from("\uFEFFü\r\none\r\n", "utf16le"), Buffer.from("\uFEFFü\r\ntwo\r\n", "utf16le")],
    ["UTF-16BE", Buffer.from("\uFEFFone", "utf16le").swap16(), Buffer.from("\uFEFFtwo", "utf16le").swap16()],
    ["Shift-JIS", Buffer.from("\x83\x65\x81\x5c\none", "latin1"), Buffer.from("\x83\x65\x81\x5c\ntwo", "latin1")],
    ["partly UTF-8", Buffer.from("\xc3\xbc \xe9\none", "latin1"), Buffer.from("\xc3\xbc \xe9\ntwo", "latin1")]
  ]
  for (const [name, before, after] of kept) {
    nodeTest(`keeps all other bytes of a file in ${name}, and loses nothing of it with a character that it lacks`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { root, run } = yield* openTools()
        const bytes = Effect.map(fs.readFile(`${root}/a.txt`), (read) => Buffer.from(read))
        yield* fs.writeFile(`${root}/a.txt`, before)
        assert.isTrue((yield* run("edit_file", replacing("a.txt", "one", "two"))).success)
        assert.deepStrictEqual(yield* bytes, after)
        if (!/^(?:Latin|Shift)/.test(name)) return
        for (const call of [
          run("edit_file", replacing("a.txt", "two", "😀")),
          run("write_file", { path: "a.txt", content: "😀" })
        ]) {
          const { error_message, error_type } = yield* call
          assert.strictEqual(error_type, "validation_failed")
          assert.match(error_message ?? "", /which has no "😀" \(line \d\)\..* Nothing was changed\.$/)
          assert.deepStrictEqual(yield* bytes, after)
        }
      })
    )
  }

  const encodings: ReadonlyArray<[name: string, bytes: ReadonlyArray<number>, why: string]> = [
    ["UTF-32", [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], "it looks like UTF-32; convert it to UTF-8"],
    ["binary", [0, 1, 2, 3, 4, 5], "it is binary"]
  ]
  for (const [name, bytes, why] of encodings) {
    nodeTest(`leaves a file alone that is ${name}`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { root, run } = yield* openTools()
        yield* fs.writeFile(`${root}/a.txt`, new Uint8Array(bytes))
        const { error_message, error_type } = yield* run("edit_file", replacing("a.txt", "a", "b"))
        assert.deepStrictEqual([error_type, error_message], ["parse_error", `${root}/a.txt is not text: ${why}.`])
        assert.deepStrictEqual([...(yield* fs.readFile(`${root}/a.txt`))], [...bytes])
      })
    )
  }

  nodeTest("says what does not fit before anybody is asked", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({})
      const { root, run } = yield* openTools({ files: { "a.txt": "one\n" }, approver: approver.layer })
      const failures = [
        yield* run("edit_file", replacing("a.txt", "two", "x")),
        yield* run("edit_file", replacing("b.txt", "two", "x")),
        yield* run("edit_file", replacing(".", "two", "x"))
      ]
      assert.deepStrictEqual(
        failures.map(({ error_message, error_type }) => [error_type, error_message]),
        [
          [
            "validation_failed",
            "Nothing was changed. The old_text does not occur in a.txt. No line is similar. Read the file and copy the lines from it."
          ],
          [
            "not_found",
            `There is no file at ${root}/b.txt. Nearest: a.txt. Only a file that exists can be edited; write_file creates one.`
          ],
          ["io_error", `${root} is a folder, not a file. Name a file in it: ${root}/a.txt.`]
        ]
      )
      assert.deepStrictEqual(approver.asked, [])
    })
  )

  nodeTest("asks a model for one of the two forms", () =>
    Effect.gen(function* () {
      const { registry } = yield* openTools()
      const issuesOf = (given: Arguments) =>
        registry.check(callOf("edit_file", given), new Set(["edit_file"])).issues.map(({ how }) => how)
      assert.deepStrictEqual(issuesOf({ path: "a", old_text: "b", new_text: "c" }), [])
      assert.deepStrictEqual(issuesOf({ path: "a", edits: [{ old_text: "b", new_text: "c" }] }), [])
      const both = { path: "a", old_text: "b", new_text: "c", edits: [{ old_text: "b", new_text: "c" }] }
      const wrong: ReadonlyArray<Arguments> = [{ path: "a" }, { path: "a", old_text: "b" }, both]
      for (const given of wrong) {
        assert.deepStrictEqual(issuesOf(given), ["Give either old_text and new_text, or edits."])
      }
    })
  )

  nodeTest("shows the diff, and asks again for what the file has become meanwhile", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const approver = scriptedApprover({ steps: ["step"], calls: ["once"] })
      const { gate, registry, root, run } = yield* openTools({
        files: { "a.txt": "one\n" },
        approver: approver.layer
      })
      const call = callOf("edit_file", replacing("a.txt", "one", "two"))
      const prepared = yield* registry.prepare(call)
      yield* approveCalls(gate, {
        title: "Step",
        planKey: "p",
        tasks: [{ task: "T", gatedBy: "risk", calls: [prepared] }]
      })
      yield* fs.writeFileString(`${root}/a.txt`, "zero\none\n")
      assert.isTrue((yield* run("edit_file", replacing("a.txt", "one", "two"))).success)
      const path = `${root}/a.txt`
      assert.deepStrictEqual(
        approver.asked.flat().map(({ preview, targets }) => [targets, preview]),
        [
          [[path], `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-one\n+two`],
          [[path], `--- ${path}\n+++ ${path}\n@@ -1,2 +1,2 @@\n zero\n-one\n+two`]
        ]
      )
      assert.strictEqual(yield* fs.readFileString(path), "zero\ntwo\n")
    })
  )

  nodeTest("needs no second question for what was approved", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step"] })
      const { gate, registry, run } = yield* openTools({
        files: { "a.txt": "one\n" },
        approver: approver.layer
      })
      const prepared = yield* registry.prepare(callOf("edit_file", replacing("a.txt", "one", "two")))
      yield* approveCalls(gate, {
        title: "Step",
        planKey: "p",
        tasks: [{ task: "T", gatedBy: "risk", calls: [prepared] }]
      })
      assert.isTrue((yield* run("edit_file", replacing("a.txt", "one", "two"))).success)
    })
  )

  nodeTest("writes nothing when the file changes while the question is open", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      let path = ""
      const change = Effect.suspend(() => fs.writeFileString(path, "one, changed\n")).pipe(Effect.orDie)
      const approver = scriptedApprover({ calls: ["once"] }, change)
      const { root, run } = yield* openTools({ files: { "a.txt": "one\n" }, approver: approver.layer })
      path = `${root}/a.txt`
      const { error_message, error_type } = yield* run("edit_file", replacing("a.txt", "one", "two"))
      assert.deepStrictEqual(
        [error_type, error_message],
        [
          "validation_failed",
          `${path} was changed after the call was checked, so nothing was written. Read it again and repeat the call.`
        ]
      )
      assert.strictEqual(yield* fs.readFileString(path), "one, changed\n")
      assert.deepStrictEqual(yield* fs.readDirectory(root), ["a.txt"])
    })
  )

  nodeTest("tells nothing of files that may never be written, or that look like secrets", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${outside}/b.txt`, "token = hidden-canary\n")
      const files = { ".git/config": "token = hidden-canary\n", ".env": "token = hidden-canary\n" }
      const { answers, run } = yield* openTools({ files, approver: layerAllowAll })
      for (const path of [`${outside}/b.txt`, ".git/config", ".env"]) {
        const { error_message, success } = yield* run("edit_file", replacing(path, "token = hidden-canari", "x"))
        assert.isFalse(success)
        assert.notInclude(error_message, "hidden-canary")
      }
      assert.deepStrictEqual(
        (yield* answers.denials).map(({ by, tool }) => [tool, by]),
        [
          ["edit_file", "rule"],
          ["edit_file", "rule"]
        ]
      )
    })
  )

  nodeTest("is a form that any plugin can use", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
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
      const { registry, root, run } = yield* openTools({ files: { "a.txt": "DATE\n" }, plugins: [stamp] })
      assert.strictEqual((yield* registry.prepare(callOf("stamp"))).risk, "high")
      assert.strictEqual((yield* run("stamp")).data, "today\n")
      assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "today\n")
    })
  )
})
