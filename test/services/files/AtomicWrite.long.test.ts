/** A write while somebody swaps its folder for a link. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { replaceFile } from "../../../src/services/files/AtomicWrite.ts"
import { swapping } from "../../support/FolderSwaps.ts"
import { unlessMissing } from "../../support/needs.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

describe("replaceFile", () => {
  nodeTest(
    "writes nothing outside while somebody swaps the folder for a link",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* makeProject({ "a.txt": "old" })
      const root = yield* makeProject({ "src/a.txt": "old" })
      const before = yield* fs.stat(outside)
      yield* swapping(root, outside)
      const exits = yield* Effect.forEach(Array.from({ length: 500 }), () =>
        Effect.exit(replaceFile(`${root}/src/a.txt`, "new"))
      )
      const outcomes = new Set(exits.map((exit) => exit._tag))
      expect([...outcomes].toSorted()).toEqual(["Failure", "Success"])
      expect(yield* fs.readFileString(`${outside}/a.txt`)).toBe("old")
      expect((yield* fs.stat(outside)).mtime).toEqual(before.mtime)
    },
    unlessMissing(process.platform === "linux" ? undefined : "Only Linux can hold a folder while its path changes.")
  )
})
