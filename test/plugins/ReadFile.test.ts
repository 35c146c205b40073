import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type FileRead, FileReads } from "../../src/services/FileReads.ts"
import { definePlugin, tool } from "../../src/services/Plugin.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { openTools } from "../support/OpenTools.ts"

const text = "one\ntwo\nthree\nfour\n"

describe("read_file", () => {
  const ranges: ReadonlyArray<[given: { start_line?: number; end_line?: number }, expected: string]> = [
    [{}, text],
    [{ start_line: 2, end_line: 3 }, "two\nthree"],
    [{ start_line: 3 }, "three\nfour"],
    [{ end_line: 1 }, "one"],
    [{ start_line: 4, end_line: 99 }, "four"]
  ]
  for (const [given, expected] of ranges) {
    nodeTest(`returns ${JSON.stringify(expected)} for ${JSON.stringify(given)}`, () =>
      Effect.gen(function* () {
        const { run } = yield* openTools({ files: { "a.txt": text } })
        assert.strictEqual((yield* run("read_file", { path: "a.txt", ...given })).data, expected)
      })
    )
  }

  nodeTest("says how many lines there are when the range holds none", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files: { "a.txt": text } })
      const beyond = yield* run("read_file", { path: "a.txt", start_line: 5 })
      assert.deepStrictEqual(
        [beyond.error_type, beyond.error_message],
        ["validation_failed", "a.txt has 4 lines; there are none from line 5 to line 4."]
      )
      const backwards = yield* run("read_file", { path: "a.txt", start_line: 3, end_line: 2 })
      assert.strictEqual(backwards.error_message, "a.txt has 4 lines; there are none from line 3 to line 2.")
      assert.strictEqual((yield* run("read_file", { path: "a.txt", start_line: 0 })).error_type, "validation_failed")
    })
  )

  nodeTest("fails as not_found, io_error, parse_error or output_limit", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "src/a.txt": text } })
      yield* fs.writeFile(`${root}/image.bin`, new Uint8Array([0x89, 0x50, 0, 0xff]))
      yield* fs.truncate(`${root}/src/a.txt`, 10_485_761)
      const typeOf = (path: string) => Effect.map(run("read_file", { path }), (result) => result.error_type)
      assert.strictEqual(yield* typeOf("none.txt"), "not_found")
      assert.strictEqual(yield* typeOf("src"), "io_error")
      assert.strictEqual(yield* typeOf("image.bin"), "parse_error")
      assert.strictEqual(yield* typeOf("src/a.txt"), "output_limit")
    })
  )

  nodeTest("tells plugins that listen of each successful read, with the whole text", () =>
    Effect.gen(function* () {
      const heard: Array<FileRead> = []
      const listener = definePlugin({
        name: "listener",
        tools: Effect.gen(function* () {
          const reads = yield* (yield* FileReads).subscribe
          yield* Effect.forkScoped(Stream.runForEach(reads, (read) => Effect.sync(() => heard.push(read))))
          return {
            count_reads: tool({
              description: "Counts.",
              parameters: Schema.Struct({}),
              risk: "safe",
              effect: "pure",
              execute: () => Effect.sync(() => heard.length)
            })
          }
        })
      })
      const { root, run } = yield* openTools({ files: { "a.txt": text }, plugins: [listener] })
      yield* run("read_file", { path: "a.txt", start_line: 2, end_line: 2 })
      yield* run("read_file", { path: "none.txt" })
      yield* run("read_file", { path: "a.txt", start_line: 9 })
      yield* Effect.yieldNow.pipe(Effect.repeat({ times: 50 }))
      assert.deepStrictEqual(heard, [{ path: `${root}/a.txt`, text }])
    })
  )
})
