import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { openTools } from "../support/OpenTools.ts"

describe("write_file", () => {
  nodeTest("creates a file with its folders and returns path, bytes and diff", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools()
      const path = `${root}/docs/new/a.txt`
      assert.deepStrictEqual((yield* run("write_file", { path: "docs/new/a.txt", content: "ä\n" })).data, {
        path,
        bytes: 3,
        diff: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+ä`
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
        diff: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-old\n+new`
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
