import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { type FileRead, FileReads } from "../../../src/services/tools/HostServices.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const text = "one\ntwo\nthree\nfour\n"

const numbered = (lines: ReadonlyArray<string>, first: number): string =>
  lines.map((line, index) => `${first + index}: ${line}`).join("\n")

/** A line of a file that is too large. */
const row = (index: number) => `${String(index).padStart(7, "0")} ü ${"x".repeat(90)}`

describe("read_file", () => {
  const ranges: ReadonlyArray<
    [given: { start_line?: number; end_line?: number; line_numbers?: boolean }, expected: string]
  > = [
    [{}, "1: one\n2: two\n3: three\n4: four"],
    [{ start_line: 2, end_line: 3 }, "2: two\n3: three\n\n(Lines 2 to 3 of 4.)"],
    [{ start_line: 3 }, "3: three\n4: four\n\n(Lines 3 to 4 of 4.)"],
    [{ end_line: 1 }, "1: one\n\n(Line 1 of 4.)"],
    [{ start_line: 4, end_line: 99 }, "4: four\n\n(Line 4 of 4.)"],
    [{ line_numbers: true, end_line: 1 }, "1: one\n\n(Line 1 of 4.)"],
    [{ start_line: 1, end_line: 4 }, "1: one\n2: two\n3: three\n4: four"],
    [{ line_numbers: false }, text],
    [{ line_numbers: false, start_line: 2, end_line: 3 }, "two\nthree"]
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
        ["validation_failed", "a.txt has 4 lines; there are none from line 5 on."]
      )
      const backwards = yield* run("read_file", { path: "a.txt", start_line: 3, end_line: 2 })
      assert.strictEqual(backwards.error_message, "a.txt has 4 lines; there are none from line 3 to line 2.")
      const { run: runOnOne } = yield* openTools({ files: { "b.txt": "one\n" } })
      const second = yield* runOnOne("read_file", { path: "b.txt", start_line: 2 })
      assert.strictEqual(second.error_message, "b.txt has 1 line; there are none from line 2 on.")
      assert.strictEqual((yield* run("read_file", { path: "a.txt", start_line: 0 })).error_type, "validation_failed")
    })
  )

  nodeTest("fails as not_found, io_error, parse_error or output_limit", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "src/a.txt": text } })
      yield* fs.writeFile(`${root}/image.bin`, new Uint8Array([0x89, 0x50, 0, 0xff]))
      yield* fs.writeFileString(`${root}/src/a.txt`, "a".repeat(10_485_761))
      const typeOf = (path: string) => Effect.map(run("read_file", { path }), (result) => result.error_type)
      assert.strictEqual(yield* typeOf("none.txt"), "not_found")
      assert.strictEqual(yield* typeOf("src"), "io_error")
      assert.strictEqual(yield* typeOf("image.bin"), "parse_error")
      assert.strictEqual(yield* typeOf("src/a.txt"), "output_limit")
    })
  )

  nodeTest("names the nearest files when there is none at the path", () =>
    Effect.gen(function* () {
      const { root, run } = yield* openTools({ files: { "src/config.ts": "", "test/config.ts": "", "a.txt": "" } })
      const messageOf = (path: string) => Effect.map(run("read_file", { path }), (result) => result.error_message)
      assert.strictEqual(
        yield* messageOf("lib/config.ts"),
        `There is no file at ${root}/lib/config.ts. Nearest: src/config.ts, test/config.ts.`
      )
      assert.strictEqual(
        yield* messageOf(`${root}/scr/config.ts`),
        `There is no file at ${root}/scr/config.ts. Nearest: src/config.ts, test/config.ts.`
      )
    })
  )

  nodeTest("returns as many whole lines as fit, and says how to read on", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`)
      const { run } = yield* openTools({ files: { "a.txt": `${lines.join("\n")}\n` } })
      const whole = String((yield* run("read_file", { path: "a.txt" })).data)
      const [, last] = /\n\n\(Lines 1 to (\d+) of 3000\. Read on with start_line \d+\.\)$/.exec(whole) ?? []
      assert.strictEqual(
        whole,
        `${numbered(lines.slice(0, Number(last)), 1)}\n\n(Lines 1 to ${last} of 3000. Read on with start_line ${Number(last) + 1}.)`
      )
      assert.isAtMost(whole.length, 16_100)
      const rest = yield* run("read_file", { path: "a.txt", start_line: Number(last) + 1 })
      const note = `(Lines ${Number(last) + 1} to 3000 of 3000.)`
      assert.strictEqual(rest.data, `${numbered(lines.slice(Number(last)), Number(last) + 1)}\n\n${note}`)
    })
  )

  nodeTest("shows the beginning of a line that does not fit", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files: { "a.txt": `${"a".repeat(20_000)}\nb\n` } })
      const { data } = yield* run("read_file", { path: "a.txt" })
      assert.strictEqual(
        data,
        `1: ${"a".repeat(15_997)}\n\n(The first 16000 of 20003 characters of line 1 of 2. Search it for the rest.)`
      )
    })
  )

  nodeTest("reads lines of a file that is too large to be read as a whole", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools()
      const rows = Array.from({ length: 120_000 }, (_, index) => row(index + 1))
      yield* fs.writeFileString(`${root}/big.txt`, `${rows.join("\n")}\n`)
      const whole = yield* run("read_file", { path: "big.txt" })
      assert.match(String(whole.data), /^1: /)
      assert.isTrue(
        String(whole.data).endsWith(
          `\n\n(${root}/big.txt is larger than 10 MB. Search it, or read on with start_line and end_line.)`
        )
      )
      assert.include(String(whole.data), "Read on with start_line ")
      const lines = (start_line: number, end_line: number) =>
        Effect.map(
          run("read_file", { path: "big.txt", start_line, end_line, line_numbers: false }),
          (result) => result.data ?? result.error_message
        )
      assert.strictEqual(yield* lines(1, 2), `${row(1)}\n${row(2)}`)
      assert.strictEqual(yield* lines(99_999, 100_001), `${row(99_999)}\n${row(100_000)}\n${row(100_001)}`)
      assert.strictEqual(yield* lines(120_000, 130_000), row(120_000))
      assert.strictEqual(
        yield* lines(120_001, 120_003),
        `${root}/big.txt has fewer than 120001 lines: it ends at line 120000.`
      )
      assert.match(String(yield* lines(1, 5000)), /\(Lines 1 to 633\. Read on with start_line 634\.\)$/)
    })
  )

  nodeTest("never hangs on what is no ordinary file", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "sparse.txt": "a\n" } })
      execFileSync("mkfifo", [`${root}/pipe`])
      yield* fs.truncate(`${root}/sparse.txt`, 5_000_000_000)
      const failureOf = (path: string, range = {}) =>
        Effect.map(run("read_file", { path, ...range }), ({ error_message, error_type }) => [error_type, error_message])
      assert.deepStrictEqual(yield* failureOf("pipe"), [
        "io_error",
        `${root}/pipe is a pipe. Only regular files can be read.`
      ])
      assert.deepStrictEqual(yield* failureOf("/dev/zero"), [
        "io_error",
        "/dev/zero is a device. Only regular files can be read."
      ])
      assert.deepStrictEqual(yield* failureOf("pipe", { start_line: 1 }), yield* failureOf("pipe"))
      assert.deepStrictEqual(yield* failureOf("sparse.txt"), ["none", null])
      assert.deepStrictEqual(yield* failureOf("sparse.txt", { start_line: 1, end_line: 1 }), ["none", null])
      assert.deepStrictEqual(yield* failureOf("sparse.txt", { start_line: 2 }), [
        "output_limit",
        `The lines 2 to 10001 of ${root}/sparse.txt have more than 1 MB. Name fewer lines.`
      ])
      assert.deepStrictEqual(yield* failureOf("sparse.txt", { start_line: 3 }), [
        "output_limit",
        `${root}/sparse.txt has no line 3 within its first 256 MB.`
      ])
      assert.deepStrictEqual(yield* failureOf(`/proc/${process.pid}/comm`), [
        "io_error",
        `/proc/${process.pid}/comm is made by the system while it is read. Only regular files can be read.`
      ])
      assert.deepStrictEqual(yield* failureOf("a".repeat(300)), [
        "validation_failed",
        `Cannot resolve ${"a".repeat(300)}. The path is too long.`
      ])
    })
  )

  nodeTest("names the encoding of a file that is not UTF-8, what a file is that is no text, and no harmless mark", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "marked.txt": "\uFEFFone\r\ntwo", "mark.txt": "\uFEFF" } })
      yield* fs.writeFile(`${root}/utf16.txt`, Buffer.from("\uFEFFone", "utf16le"))
      yield* fs.writeFile(`${root}/latin.txt`, Buffer.from("gr\xfcn", "latin1"))
      yield* fs.writeFile(`${root}/nul.txt`, Buffer.from("a\0b and more text"))
      yield* fs.writeFile(`${root}/mixed.txt`, Buffer.concat([Buffer.from("grün"), Buffer.of(0xe9)]))
      yield* fs.writeFile(`${root}/japan.txt`, Buffer.of(0x82, 0xa0, 0x0a))
      const textOf = (path: string) =>
        Effect.map(run("read_file", { path }), (result) => result.error_message ?? result.data)
      const paths = ["utf16.txt", "latin.txt", "japan.txt", "mixed.txt", "nul.txt"]
      assert.deepStrictEqual(yield* Effect.forEach(paths, textOf), [
        "1: one\n\n(The file is encoded as UTF-16LE. An edit keeps that.)",
        "1: grün\n\n(The file is encoded as Windows-1252 (Latin-1). An edit keeps that.)",
        "1: あ\n\n(The file is encoded as Shift-JIS. An edit keeps that.)",
        "1: grün\\xe9\n\n(Not all of the file is UTF-8: bytes that are no text are shown as \\xNN. An edit keeps them.)",
        `${root}/nul.txt is not text: it is binary.`
      ])
      const bare = (path: string) => run("read_file", { path, line_numbers: false })
      assert.strictEqual((yield* bare("marked.txt")).data, "one\r\ntwo")
      assert.strictEqual((yield* bare("mark.txt")).data, "")
      assert.strictEqual((yield* run("read_file", { path: "marked.txt" })).data, "1: one\n2: two")
      assert.strictEqual((yield* run("read_file", { path: "mark.txt" })).data, "(The file is empty.)")
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
      yield* untilQuiet
      assert.deepStrictEqual(heard, [{ path: `${root}/a.txt`, text }])
    })
  )
})
