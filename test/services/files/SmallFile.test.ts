import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readSmallFile } from "../../../src/services/files/SmallFile.ts"
import { liveTest } from "../../support/liveTest.ts"
import { unlessMissing } from "../../support/needs.ts"
import { makeProject } from "../../support/Project.ts"

const read = (file: string, most = 1_000_000) =>
  Effect.map(readSmallFile(file, most), (bytes) => (bytes === undefined ? undefined : Buffer.from(bytes).toString()))

describe(
  "reading a small file at once",
  unlessMissing(process.platform === "linux" ? undefined : "Only Linux has paths of open folders."),
  () => {
    liveTest("gives the bytes of a regular file, and leaves everything else to the general way", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const root = yield* makeProject({
          "a.txt": "ä\n",
          "empty.txt": "",
          "large.txt": "x".repeat(65_537),
          "sub/b.txt": "b"
        })
        yield* fs.symlink(`${root}/a.txt`, `${root}/link.txt`)
        yield* fs.symlink(`${root}/sub`, `${root}/linked`)
        assert.strictEqual(yield* read(`${root}/a.txt`), "ä\n")
        assert.strictEqual(yield* read(`${root}/empty.txt`), "")
        assert.strictEqual(yield* read(`${root}/sub/b.txt`), "b")
        assert.isUndefined(yield* read(`${root}/a.txt`, 2))
        const others = ["large.txt", "link.txt", "linked/b.txt", "sub", "none.txt", "a.txt/b"]
        for (const name of others) assert.isUndefined(yield* read(`${root}/${name}`), name)
        for (const file of ["/proc/self/status", "/dev/null"]) assert.isUndefined(yield* read(file), file)
      })
    )
  }
)
