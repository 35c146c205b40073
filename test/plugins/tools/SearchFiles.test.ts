import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import type { SearchPattern } from "../../../src/domain/files/LineSearch.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { searchText } from "../../../src/plugins/tools/SearchFiles.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { makeProject } from "../../support/Project.ts"

const ignored = "letter case ignored"

const searched = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, given: Arguments) {
  const { run } = yield* openTools({ files })
  return (yield* run("search_files", given)).data
})

const uses = (count: number) => "  parse(x)\n".repeat(count)

describe("search_files", () => {
  const files = {
    "README.md": "Use parseConfig.\n",
    "src/config.ts": "// config\r\nexport const parseConfig = 1\n",
    "src/other.ts": "PARSECONFIG\n",
    "out/built.js": "parseConfig\n",
    ".gitignore": "out\n"
  }

  nodeTest("finds lines with the text in any letter case, with path and line", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "parseconfig" }),
        [
          `3 matches in 3 files, ${ignored}.`,
          "README.md:1: Use parseConfig.",
          "src/config.ts:2: export const parseConfig = 1",
          "src/other.ts:1: PARSECONFIG"
        ].join("\n")
      )
    })
  )

  nodeTest("shows one or two matches in code with the lines around them, unless told otherwise", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 20 }, (_, at) => `call${at + 1}()`)
      const code = { "a.ts": lines.join("\n"), "a.txt": lines.join("\n") }
      const shown = (pattern: string, more = {}) =>
        Effect.map(searched(code, { pattern, path: "a.ts", ...more }), (text) => String(text).split("\n").slice(1))
      assert.deepStrictEqual(yield* shown("call9("), [
        ...[6, 7, 8].map((line) => `${line}: call${line}()`),
        "a.ts:9: call9()",
        ...[10, 11, 12].map((line) => `${line}: call${line}()`)
      ])
      assert.lengthOf(yield* shown("call(4|12)\\(", { regex: true }), 15)
      assert.lengthOf(yield* shown("call(4|8|12)\\(", { regex: true }), 3)
      assert.lengthOf(yield* shown("call9(", { context: 0 }), 1)
      assert.lengthOf(yield* shown("call9(", { path: "a.txt" }), 1)
    })
  )

  nodeTest("minds letter case and the folder when told so", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "parseConfig", path: "src", case_sensitive: true }),
        "1 match in 1 file, letter case matters.\n1: // config\nsrc/config.ts:2: export const parseConfig = 1\n3:"
      )
      assert.strictEqual(
        yield* searched(files, { pattern: "PARSEconfig", path: "src", case_sensitive: true }),
        'No line of the 2 files below src holds "PARSEconfig" in this letter case.'
      )
    })
  )

  nodeTest("searches a pattern that no line holds as a regular expression, when it looks like one", () =>
    Effect.gen(function* () {
      const note = "\n(No line holds the pattern as it is, so it was searched as a regular expression.)"
      assert.strictEqual(
        yield* searched(files, { pattern: "^export|nowhere", path: "src/config.ts" }),
        `1 match in 1 file, ${ignored}.\n1: // config\nsrc/config.ts:2: export const parseConfig = 1\n3:${note}`
      )
      for (const pattern of ["nowhere|neither", "nowhere", "parse(|export"]) {
        assert.strictEqual(
          yield* searched(files, { pattern }),
          `No line of the 4 files holds ${JSON.stringify(pattern)}.`
        )
      }
      assert.strictEqual(
        yield* searched(files, { pattern: "^export", regex: false }),
        'No line of the 4 files holds "^export".'
      )
      assert.include(yield* searched({ "a.txt": "a|b\nac\n" }, { pattern: "a|b" }), "1 match in 1 file")
    })
  )

  nodeTest("takes the pattern as plain text", () =>
    Effect.gen(function* () {
      const plain = { "a.txt": "a+b (x)\naab\n--pre=sh\n" }
      assert.strictEqual(
        yield* searched(plain, { pattern: "a+b (" }),
        `1 match in 1 file, ${ignored}.\na.txt:1: a+b (x)`
      )
      assert.strictEqual(
        yield* searched(plain, { pattern: "--pre=sh" }),
        `1 match in 1 file, ${ignored}.\na.txt:3: --pre=sh`
      )
    })
  )

  nodeTest("marks where another file begins between lines around matches", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched({ "a.txt": "one\ntext", "b.txt": "text\ntwo" }, { pattern: "text", context: 1 }),
        `2 matches in 2 files, ${ignored}.\n1: one\na.txt:2: text\n--\nb.txt:1: text\n2: two`
      )
    })
  )

  nodeTest("says that nothing was found, and where", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* searched(files, { pattern: "zebra", path: "src" }),
        'No line of the 2 files below src holds "zebra".'
      )
    })
  )

  nodeTest("spreads what it shows over the files and counts the rest", () =>
    Effect.gen(function* () {
      const many = { "a.txt": "x\n".repeat(200), "b.txt": "x\nx\n", "c.txt": "-\nx\n" }
      assert.strictEqual(
        yield* searched(many, { pattern: "x", max_results: 5 }),
        [
          `203 matches in 3 files, ${ignored}. Shown by file: a.txt 2 of 200, b.txt 2, c.txt 1. For others name a file with path, or give a higher max_results.`,
          "a.txt:1: x",
          "a.txt:2: x",
          "b.txt:1: x",
          "b.txt:2: x",
          "c.txt:2: x"
        ].join("\n")
      )
      assert.strictEqual(
        yield* searched({ "a.txt": "1\n1\n", "b.txt": "1\n" }, { pattern: "1" }),
        "3 matches in 2 files.\na.txt:1: 1\na.txt:2: 1\nb.txt:1: 1"
      )
    })
  )

  nodeTest("shows the files with the most matches when not even one of each has room", () =>
    Effect.gen(function* () {
      const few = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index + 10}.txt`, "x\n"]))
      const data = String(
        yield* searched({ ...few, "z.txt": "x\nx\nx\n", "y.txt": "x\nx\n" }, { pattern: "x", max_results: 2 })
      )
      assert.match(
        data,
        /^45 matches in 42 files, [^\n]* z\.txt 1 of 3, y\.txt 1 of 2, f10\.txt 0 of 1, [^\n]*, and 12 matches in 12 files more\. [^\n]*\ny\.txt:1: x\nz\.txt:1: x$/
      )
    })
  )

  nodeTest("shows source before tests, text for people and what tools write, and counts every file", () =>
    Effect.gen(function* () {
      const many = {
        "CHANGELOG.md": uses(9),
        "a-lock.json": uses(9),
        "docs/use.md": uses(9),
        "lib/use.py": uses(3),
        "lib/parse.py": `${uses(3)}def parse(x):\n    pass\n`,
        "test/test_parse.py": uses(9)
      }
      const data = String(yield* searched(many, { pattern: "parse", max_results: 6 }))
      assert.strictEqual(
        data,
        [
          `43 matches in 6 files, ${ignored}. Shown by file: CHANGELOG.md 0 of 9, a-lock.json 0 of 9, docs/use.md 1 of 9, test/test_parse.py 1 of 9, lib/parse.py 2 of 4, lib/use.py 2 of 3. For others name a file with path, or give a higher max_results.`,
          "docs/use.md:1:   parse(x)",
          "lib/parse.py:1:   parse(x)",
          "lib/parse.py:4: def parse(x):",
          "lib/use.py:1:   parse(x)",
          "lib/use.py:2:   parse(x)",
          "test/test_parse.py:1:   parse(x)"
        ].join("\n")
      )
    })
  )

  nodeTest("says once which declaration or heading holds the matches after it", () =>
    Effect.gen(function* () {
      const code =
        "class Schema:\n    def validate(self):\n        key()\n        key()\n\n    def reset(self):\n        key()\n\nkey()\n"
      const text = "# Use\n\nA key.\n\n## A key\n"
      assert.strictEqual(
        yield* searched({ "a.py": code, "b.md": text }, { pattern: "key" }),
        [
          `6 matches in 2 files, ${ignored}.`,
          "(in Schema.validate)",
          "a.py:3:         key()",
          "a.py:4:         key()",
          "(in Schema.reset)",
          "a.py:7:         key()",
          "a.py:9: key()",
          "(in # Use)",
          "b.md:3: A key.",
          "b.md:5: ## A key"
        ].join("\n")
      )
    })
  )

  nodeTest("shows a long line around its match", () =>
    Effect.gen(function* () {
      const long = `${"a".repeat(1000)}NEEDLE${"b".repeat(1000)}`
      assert.strictEqual(
        yield* searched({ "a.txt": long }, { pattern: "needle" }),
        `1 match in 1 file, ${ignored}.\na.txt:1: ...${"a".repeat(100)}NEEDLE${"b".repeat(194)}... (of 2006 characters)`
      )
    })
  )

  nodeTest("does not read secrets, binary files, or links that lead out of the project", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      yield* fs.writeFileString(`${outside}/secret.txt`, "needle outside\n")
      const { root, run } = yield* openTools({ files: { "a.txt": "needle\n", ".env": "KEY=needle\n" } })
      yield* fs.symlink(`${outside}/secret.txt`, `${root}/link.txt`)
      yield* fs.symlink(outside, `${root}/folder`)
      yield* fs.symlink(`${root}/.env`, `${root}/harmless.txt`)
      yield* fs.writeFileString(`${root}/b.bin`, "needle\0\0")
      const { data } = yield* run("search_files", { pattern: "needle" })
      assert.strictEqual(
        data,
        `1 match in 1 file, ${ignored}.\na.txt:1: needle\n(Not searched: 1 file that looks like a secret (.env), 3 files that may not be read (folder, harmless.txt, link.txt), 1 file that is not text (b.bin).)`
      )
    })
  )

  nodeTest("passes over links that lead nowhere or go round in a circle", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "z.txt": "needle\n" } })
      yield* fs.symlink("circle", `${root}/circle`)
      yield* fs.symlink("nowhere", `${root}/dangling`)
      assert.strictEqual(
        (yield* run("search_files", { pattern: "needle" })).data,
        `1 match in 1 file, ${ignored}.\nz.txt:1: needle`
      )
    })
  )

  nodeTest("takes a regular expression when told so", () =>
    Effect.gen(function* () {
      const lines = { "a.txt": "export const a = 1\nexport let b = 2\nEXPORT CONST C\n" }
      const regex = { pattern: "^export (const|var)\\b", regex: true }
      assert.strictEqual(
        yield* searched(lines, regex),
        [`2 matches in 1 file, ${ignored}.`, "a.txt:1: export const a = 1", "a.txt:3: EXPORT CONST C"].join("\n")
      )
      assert.strictEqual(
        yield* searched(lines, { ...regex, case_sensitive: true }),
        "1 match in 1 file, letter case matters.\na.txt:1: export const a = 1"
      )
      assert.strictEqual(
        yield* searched(lines, { pattern: "d+$", regex: true }),
        'No line of the 1 file matches "d+$".'
      )
    })
  )

  nodeTest("says what is wrong with a regular expression", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files })
      const problem = (pattern: string) =>
        Effect.map(run("search_files", { pattern, regex: true }), ({ error_message, error_type }) => [
          error_type,
          error_message
        ])
      assert.deepStrictEqual(yield* problem("parse("), [
        "validation_failed",
        'The regular expression "parse(" cannot be used: missing closing ): `parse(`. Correct it, or leave regex out.'
      ])
      for (const pattern of ["(?=x)", "\\1", "a**", "((a{100}){100}){100}"]) {
        assert.strictEqual((yield* problem(pattern))[0], "validation_failed", pattern)
      }
      assert.strictEqual((yield* problem("a".repeat(1001)))[0], "validation_failed")
    })
  )

  nodeTest("ends for patterns and lines that are made to take forever", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files: { "a.txt": `${"a".repeat(1_000_000)}!\n`, "b.txt": "aaab\n" } })
      for (const pattern of ["(a+)+b$", "(a|aa)+b$", "(a*)*b"]) {
        const { data } = yield* run("search_files", { pattern, regex: true })
        assert.include(String(data), "b.txt:1: aaab")
      }
      const plain = yield* run("search_files", { pattern: "a!" })
      assert.strictEqual(
        plain.data,
        `1 match in 1 file, ${ignored}.\na.txt:1: ...${"a".repeat(100)}a! (of 1000001 characters)`
      )
    })
  )

  nodeTest("searches only files whose path fits the glob", () =>
    Effect.gen(function* () {
      const many = { "a.ts": "x", "src/b.ts": "x", "src/deep/c.tsx": "x", "src/d.md": "x" }
      const found = (glob: string) =>
        Effect.map(searched(many, { pattern: "x", glob, context: 0 }), (data) =>
          String(data)
            .split("\n")
            .slice(1)
            .map((line) => line.split(":")[0])
        )
      assert.deepStrictEqual(yield* found("*.ts"), ["a.ts", "src/b.ts"])
      assert.deepStrictEqual(yield* found("./src/**/*.{ts,tsx}"), ["src/b.ts", "src/deep/c.tsx"])
      assert.deepStrictEqual(yield* found("src/*"), ["src/b.ts", "src/d.md"])
      assert.strictEqual(
        yield* searched(many, { pattern: "x", glob: "*.go", path: "src" }),
        'No line of the 0 files below src like *.go holds "x".'
      )
    })
  )

  nodeTest("shows the lines around matches, each once", () =>
    Effect.gen(function* () {
      const text = ["1", "2 x", "3", "4", "5 x", "6", "7", "8", "9", "10 x"].join("\n")
      assert.strictEqual(
        yield* searched({ "a.txt": text }, { pattern: "x", context: 1 }),
        `3 matches in 1 file, ${ignored}.\n1: 1\na.txt:2: 2 x\n3: 3\n4: 4\na.txt:5: 5 x\n6: 6\n--\n9: 9\na.txt:10: 10 x`
      )
      assert.strictEqual(
        yield* searched({ "a.txt": "x\nx\ny\n" }, { pattern: "x", context: 2 }),
        [`2 matches in 1 file, ${ignored}.`, "a.txt:1: x", "a.txt:2: x", "3: y", "4:"].join("\n")
      )
    })
  )

  nodeTest("names the nearest folders and files when there is nothing at the path", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files })
      const { error_message, error_type } = yield* run("search_files", { pattern: "x", path: "scr" })
      assert.deepStrictEqual(
        [error_type, error_message],
        ["not_found", 'The project has no file at or below "scr". Nearest: src.']
      )
    })
  )

  nodeTest("returns at most 16,000 characters", () =>
    Effect.gen(function* () {
      const long = `${"x".repeat(290)}\n`.repeat(100)
      const data = String(yield* searched({ "a.txt": long }, { pattern: "x", max_results: 100 }))
      assert.isBelow(data.length, 16_300)
      assert.match(
        data,
        /^100 matches in 1 file, [^\n]*\. Shown by file: a\.txt 53 of 100\. For others look for a longer text/
      )
    })
  )

  nodeTest("finds words in every encoding, and names the encodings", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({ files: { "a.txt": "Größe\n" } })
      yield* fs.writeFile(`${root}/b.c`, Buffer.from("x\n/* Größe */\n", "latin1"))
      yield* fs.writeFile(`${root}/c.rc`, Buffer.from("\uFEFFx\r\nGröße\r\n", "utf16le"))
      yield* fs.writeFile(`${root}/d.md`, Buffer.concat([Buffer.from("Größe "), Buffer.of(0xe9)]))
      yield* fs.writeFile(`${root}/e.txt`, Buffer.of(0x83, 0x65, 0x83, 0x58))
      assert.strictEqual(
        (yield* run("search_files", { pattern: "größe" })).data,
        [
          `4 matches in 4 files, ${ignored}.`,
          "a.txt:1: Größe\nb.c:2: /* Größe */\nc.rc:2: Größe\nd.md:1: Größe \\xe9",
          "(Encoded as Windows-1252 (Latin-1): b.c.)",
          "(Encoded as UTF-16LE: c.rc.)",
          "(Encoded as Partly UTF-8: d.md.)"
        ].join("\n")
      )
      assert.include(String((yield* run("search_files", { pattern: "テス" })).data), "e.txt:1: テス")
    })
  )

  nodeTest("says of a file or a folder only what it did not look at there, and never that no line holds the text", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, run } = yield* openTools({
        files: { "src/a.c": "x\n", "src/.env": "", "lib/b.c": "y\n", "private/c.c": "z\n" },
        rules: [{ verdict: "deny", tool: "read_file", pattern: "private/**" }]
      })
      yield* fs.writeFile(`${root}/lib/b.o`, Buffer.from("needle\0"))
      yield* fs.writeFile(`${root}/lib/big.sql`, Buffer.alloc(11_000_000, "-- row\n"))
      const rows: ReadonlyArray<readonly [path: string | undefined, text: string]> = [
        ["src/a.c", 'No line of the 1 file below src/a.c holds "needle".'],
        [
          "src",
          '"needle" was not found in the 1 file below src that was searched.\n(Not searched: 1 file that looks like a secret (src/.env).)'
        ],
        [
          "lib/b.o",
          '"needle" was not found in the 0 files below lib/b.o that were searched.\n(Not searched: 1 file that is not text (lib/b.o).)'
        ],
        [
          "lib",
          '"needle" was not found in the 1 file below lib that was searched.\n(Not searched: 1 file that is too large (lib/big.sql), 1 file that is not text (lib/b.o).)'
        ],
        [
          undefined,
          '"needle" was not found in the 2 files that were searched.\n(Not searched: 1 file that looks like a secret (src/.env), 1 file that may not be read (private/c.c), 1 file that is too large (lib/big.sql), 1 file that is not text (lib/b.o).)'
        ]
      ]
      for (const [path, text] of rows) {
        const given: Arguments = path === undefined ? {} : { path }
        assert.strictEqual((yield* run("search_files", { pattern: "needle", ...given })).data, text)
      }
    })
  )

  nodeTest("does not search what the rules keep from being read, and says so", () =>
    Effect.gen(function* () {
      const { answers, run } = yield* openTools({
        files: { "a.txt": "needle\n", "private/b.txt": "needle\n", "asked/c.txt": "needle\n" },
        rules: [
          { verdict: "deny", tool: "read_file", pattern: "private/**" },
          { verdict: "ask", tool: "read_file", pattern: "asked/**" }
        ]
      })
      const { data } = yield* run("search_files", { pattern: "needle" })
      assert.strictEqual(
        data,
        `1 match in 1 file, ${ignored}.\na.txt:1: needle\n(Not searched: 2 files that may not be read (asked/c.txt, private/b.txt).)`
      )
      assert.deepStrictEqual(yield* answers.denials, [])
    })
  )

  nodeTest("leaves out what git ignores at every level", () =>
    Effect.gen(function* () {
      const tree = {
        ".git/info/exclude": "secret-plans\n",
        ".gitignore": "*.log\n!keep.log\n",
        "keep.log": "needle\n",
        "drop.log": "needle\n",
        "secret-plans/a.txt": "needle\n",
        "sub/.gitignore": "keep.log\nlocal\n!drop.log\n",
        "sub/keep.log": "needle\n",
        "sub/drop.log": "needle\n",
        "sub/local/a.txt": "needle\n",
        "local/a.txt": "needle\n"
      }
      assert.strictEqual(
        yield* searched(tree, { pattern: "needle" }),
        [
          `3 matches in 3 files, ${ignored}.`,
          "keep.log:1: needle",
          "local/a.txt:1: needle",
          "sub/drop.log:1: needle"
        ].join("\n")
      )
    })
  )

  nodeTest("ends with what it has when the time is over, and lets others work meanwhile", () =>
    Effect.gen(function* () {
      const root = yield* makeProject({ "a.txt": "needle\n", "b.txt": "xyz\n".repeat(10_000), "c.txt": "needle\n" })
      const pattern: SearchPattern = { find: (line) => line.indexOf("needle"), charactersAtOnce: 400 }
      let begun = 0
      const others = Effect.gen(function* () {
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => begun > 0 }))
        yield* Effect.yieldNow.pipe(Effect.repeat({ times: 3 }))
        yield* TestClock.adjust("5 seconds")
      })
      const order = {
        files: ["a.txt", "b.txt", "c.txt"],
        context: 0,
        maxMatches: 10,
        maxCharacters: 1000,
        maxFileBytes: 1_000_000,
        deadline: 5000,
        pattern: { ...pattern, find: (line: string) => ((begun += line === "xyz" ? 1 : 0), pattern.find(line)) }
      }
      const search = searchText(order).pipe(Effect.provide(Workspace.layer(root)))
      const [found] = yield* Effect.all([search, others], { concurrency: 2 })
      assert.deepStrictEqual([found.ended, found.searched, found.shown], ["time", 1, "a.txt:1: needle"])
      assert.isBelow(begun, 10_000)
    })
  )

  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}.txt`, `needle ${n}\n`]))

  /** Searches while so much time goes by after it has begun. */
  const searchingFor = Effect.fnUntraced(function* (
    limits: NonNullable<OpenTools["limits"]>,
    time: `${number} seconds`
  ) {
    const { run } = yield* openTools({ files: many, limits })
    const passing = Effect.andThen(Effect.yieldNow.pipe(Effect.repeat({ times: 20 })), TestClock.adjust(time))
    const [{ data, error_message }] = yield* Effect.all([run("search_files", { pattern: "needle" }), passing], {
      concurrency: 2
    })
    assert.isNull(error_message)
    return String(data)
  })

  const limits = [
    [{ toolSeconds: 4 }, 4, "limits.toolSeconds"],
    [{ toolSeconds: 300, tools: { search_files: { seconds: 60 } } }, 60, "limits.tools.search_files.seconds"]
  ] as const

  for (const [given, seconds, setting] of limits) {
    nodeTest(`ends before the limit ${setting}, and says which share of the files it saw`, () =>
      Effect.gen(function* () {
        const data = yield* searchingFor(given, seconds === 4 ? "3 seconds" : "58 seconds")
        const [, searched, time, named] =
          /^\(Searched (\d+) of 200 files, then the limit of (\d+) s was reached\. .*; the user can raise (\S+)\.\)$/m.exec(
            data
          ) ?? []
        assert.deepStrictEqual([Number(time), named], [seconds, setting])
        assert.isBelow(Number(searched), 200)
      })
    )
  }

  nodeTest("goes on for as long as the limit of the tool allows", () =>
    Effect.gen(function* () {
      const data = yield* searchingFor({ tools: { search_files: { seconds: 60 } } }, "40 seconds")
      assert.match(data, /^200 matches in 200 files/)
    })
  )
})
