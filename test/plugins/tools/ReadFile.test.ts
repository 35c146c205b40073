import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { type FileRead, FileReads } from "../../../src/services/tools/HostServices.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeFolder } from "../../support/Project.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const text = "one\ntwo\nthree\nfour\n"

/** Tools on these files; `read` gives what the model reads, and `failure` the type of an error with its message. */
const open = (files: Readonly<Record<string, string>> = {}) =>
  Effect.map(openTools({ files }), (opened) => {
    const call = (path: string, given: Arguments) => opened.run("read_file", { path, ...given })
    return {
      ...opened,
      read: (path: string, given: Arguments = {}) =>
        Effect.map(call(path, given), ({ data, error_message }) => String(error_message ?? data)),
      failure: (path: string, given: Arguments = {}) =>
        Effect.map(call(path, given), ({ error_message, error_type }) => [error_type, error_message])
    }
  })

/** A line of a file that is too large. */
const row = (index: number) => `${String(index).padStart(7, "0")} ü ${"x".repeat(90)}`

describe("read_file", () => {
  nodeTest("returns the lines of a range with their numbers, or as they are", function* () {
    const { failure, read } = yield* open({ "a.txt": text, "b.txt": "one\n" })
    const rows: ReadonlyArray<[given: Arguments, expected: string]> = [
      [{}, "1: one\n2: two\n3: three\n4: four"],
      [{ start_line: 2, end_line: 3 }, "2: two\n3: three\n\n(Lines 2 to 3 of 4.)"],
      [{ start_line: 3 }, "3: three\n4: four\n\n(Lines 3 to 4 of 4.)"],
      [{ end_line: 1 }, "1: one\n\n(Line 1 of 4.)"],
      [{ start_line: 4, end_line: 99 }, "4: four\n\n(Line 4 of 4.)"],
      [{ start_line: 1, end_line: 4 }, "1: one\n2: two\n3: three\n4: four"],
      [{ line_numbers: false }, text],
      [{ line_numbers: false, start_line: 2, end_line: 3 }, "two\nthree"],
      [{ start_line: 3, end_line: 2 }, "a.txt has 4 lines; there are none from line 3 to line 2."]
    ]
    for (const [given, expected] of rows) assert.strictEqual(yield* read("a.txt", given), expected)
    const beyond = ["validation_failed", "a.txt has 4 lines; there are none from line 5 on."]
    assert.deepStrictEqual(yield* failure("a.txt", { start_line: 5 }), beyond)
    const second = "b.txt has 1 line; there are none from line 2 on."
    assert.strictEqual(yield* read("b.txt", { start_line: 2 }), second)
    assert.strictEqual((yield* failure("a.txt", { start_line: 0 }))[0], "validation_failed")
  })

  nodeTest("returns as many whole lines as fit, and says how to read on", function* () {
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`)
    const numbered = (from: number, to?: number) =>
      lines.slice(from, to).map((line, index) => `${from + index + 1}: ${line}`)
    const { read } = yield* open({
      "a.txt": `${lines.join("\n")}\n`,
      "b.txt": `${"a".repeat(20_000)}\nb\n`
    })
    const whole = yield* read("a.txt")
    const last = Number(/\n\n\(Lines 1 to (\d+) of 3000\./.exec(whole)?.[1])
    const more = `(Lines 1 to ${last} of 3000. Read on with start_line ${last + 1}.)`
    assert.strictEqual(whole, `${numbered(0, last).join("\n")}\n\n${more}`)
    assert.isAtMost(whole.length, 16_100)
    const rest = yield* read("a.txt", { start_line: last + 1 })
    assert.strictEqual(rest, `${numbered(last).join("\n")}\n\n(Lines ${last + 1} to 3000 of 3000.)`)
    assert.strictEqual(
      yield* read("b.txt"),
      `1: ${"a".repeat(15_997)}\n\n(The first 16000 of 20003 characters of line 1 of 2. Search it for the rest.)`
    )
  })

  nodeTest("reads lines of a file that is too large to be read as a whole", function* () {
    const fs = yield* FileSystem.FileSystem
    const { read, root } = yield* open()
    const rows = Array.from({ length: 120_000 }, (_, index) => row(index + 1))
    yield* fs.writeFileString(`${root}/big.txt`, `${rows.join("\n")}\n`)
    const note = `${root}/big.txt is larger than 10 MB. Search it, or read on with start_line and end_line.`
    const whole = yield* read("big.txt")
    assert.match(whole, /^1: [^]*Read on with start_line /)
    assert.isTrue(whole.endsWith(`\n\n(${note})`))
    assert.isBelow(whole.length, 17_000)
    const lines = (start_line: number, end_line: number) =>
      read("big.txt", { start_line, end_line, line_numbers: false })
    assert.strictEqual(yield* lines(1, 2), `${row(1)}\n${row(2)}`)
    assert.strictEqual(yield* lines(99_999, 100_001), [99_999, 100_000, 100_001].map(row).join("\n"))
    assert.strictEqual(yield* lines(120_000, 130_000), row(120_000))
    const end = `${root}/big.txt has fewer than 120001 lines: it ends at line 120000.`
    assert.strictEqual(yield* lines(120_001, 120_003), end)
    assert.match(yield* lines(1, 5000), /\(Lines 1 to 633\. Read on with start_line 634\.\)$/)
    yield* fs.writeFileString(`${root}/line.json`, "x".repeat(10_600_000))
    assert.include(yield* read("line.json"), "and so is its first line. Search it for what you need.")
  })

  nodeTest("never hangs on what is no ordinary file", function* () {
    const fs = yield* FileSystem.FileSystem
    const { failure, root } = yield* open({ "sparse.txt": "a\n" })
    execFileSync("mkfifo", [`${root}/pipe`])
    yield* fs.truncate(`${root}/sparse.txt`, 5_000_000_000)
    const own = `/proc/${process.pid}/comm`
    const [sparse, fewer] = [`${root}/sparse.txt`, "Name fewer lines."]
    const rows: ReadonlyArray<[path: string, given: Arguments, type: string, message: string | null]> = [
      ["pipe", {}, "io_error", `${root}/pipe is a pipe. Only regular files can be read.`],
      ["pipe", { start_line: 1 }, "io_error", `${root}/pipe is a pipe. Only regular files can be read.`],
      ["/dev/zero", {}, "io_error", "/dev/zero is a device. Only regular files can be read."],
      [own, {}, "io_error", `${own} is made by the system while it is read. Only regular files can be read.`],
      ["sparse.txt", {}, "none", null],
      ["sparse.txt", { start_line: 1, end_line: 1 }, "none", null],
      [
        "sparse.txt",
        { start_line: 2 },
        "output_limit",
        `The lines 2 to 10001 of ${sparse} have more than 1 MB. ${fewer}`
      ],
      ["sparse.txt", { start_line: 3 }, "output_limit", `${sparse} has no line 3 within its first 256 MB.`]
    ]
    for (const [path, given, ...expected] of rows) assert.deepStrictEqual(yield* failure(path, given), expected)
  })

  nodeTest(
    "names the encoding of a file that is not UTF-8, what a file is that is no text, and no harmless mark",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const { failure, read, root } = yield* open({ "marked.txt": "\uFEFFone\r\ntwo", "mark.txt": "\uFEFF" })
      const rows: ReadonlyArray<[bytes: Buffer, expected: string]> = [
        [Buffer.from("\uFEFFone", "utf16le"), "1: one\n\n(The file is encoded as UTF-16LE. An edit keeps that.)"],
        [
          Buffer.concat([Buffer.from("grün"), Buffer.of(0xe9)]),
          "1: grün\\xe9\n\n(Not all of the file is UTF-8: bytes that are no text are shown as \\xNN. An edit keeps them.)"
        ],
        [Buffer.from("a\0b and more text"), `${root}/a.txt is not text: it is binary.`]
      ]
      for (const [bytes, expected] of rows) {
        yield* fs.writeFile(`${root}/a.txt`, bytes)
        assert.strictEqual(yield* read("a.txt"), expected)
      }
      assert.strictEqual((yield* failure("a.txt"))[0], "parse_error")
      assert.strictEqual(yield* read("marked.txt", { line_numbers: false }), "one\r\ntwo")
      assert.strictEqual(yield* read("mark.txt", { line_numbers: false }), "")
      assert.strictEqual(yield* read("marked.txt"), "1: one\n2: two")
      assert.strictEqual(yield* read("mark.txt"), "(The file is empty.)")
    }
  )

  nodeTest("tells plugins that listen of each successful read, with the whole text", function* () {
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
})

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

nodeTest("what lies outside the project says how to work there", function* () {
  const outside = yield* makeFolder
  const { root, run } = yield* openTools({ files })
  const says = `outside the project ${root}, which nothing can allow; start with --project in`
  for (const path of [`${outside}/a.txt`, "../a.txt", "/etc/hosts", `${root}-old/a`]) {
    assert.include((yield* run("write_file", { path, content: "x" })).error_message ?? "", says)
  }
})
