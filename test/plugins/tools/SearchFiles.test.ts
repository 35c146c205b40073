import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { searchText } from "../../../src/plugins/tools/SearchFiles.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { makeProject } from "../../support/Project.ts"

type Files = Readonly<Record<string, string>>

const ignored = "letter case ignored"
const more = "For others name a file with path, or give a higher max_results."

/** What the search finds in these files, line by line. */
const searched = Effect.fnUntraced(function* (files: Files, given: Arguments) {
  const { run } = yield* openTools({ files })
  const { data, error_message } = yield* run("search_files", given)
  return String(data ?? error_message).split("\n")
})

const files: Files = {
  "README.md": "Use parseConfig.\n",
  "src/config.ts": "// config\r\nexport const parseConfig = 1\n",
  "src/other.ts": "PARSECONFIG\n",
  "out/built.js": "parseConfig\n",
  ".gitignore": "out\n"
}
const plain: Files = { "a.txt": "a+b (x)\naab\n--pre=sh\n" }
const lines: Files = { "a.txt": "export const a = 1\nexport let b = 2\nEXPORT CONST C\n" }
const regex = { pattern: "^export (const|var)\\b", regex: true }
const many: Files = { "a.txt": "x\n".repeat(200), "b.txt": "x\nx\n", "c.txt": "-\nx\n" }
const few = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index + 10}.txt`, "x\n"]))
const code: Files = {
  "a.py":
    "class Schema:\n    def validate(self):\n        key()\n        key()\n\n    def reset(self):\n        key()\n\nkey()\n",
  "b.md": "# Use\n\nA key.\n\n## A key\n"
}
const asExpression = "(No line holds the pattern as it is, so it was searched as a regular expression.)"
const inConfig = ["1: // config", "src/config.ts:2: export const parseConfig = 1", "3:"]

const cases: ReadonlyArray<[what: string, files: Files, given: Arguments, expected: ReadonlyArray<string>]> = [
  [
    "lines with the text in any letter case, with path and line",
    files,
    { pattern: "parseconfig" },
    [
      `3 matches in 3 files, ${ignored}.`,
      "README.md:1: Use parseConfig.",
      "src/config.ts:2: export const parseConfig = 1",
      "src/other.ts:1: PARSECONFIG"
    ]
  ],
  [
    "the letter case and the folder that it is told",
    files,
    { pattern: "parseConfig", path: "src", case_sensitive: true },
    ["1 match in 1 file, letter case matters.", ...inConfig]
  ],
  ["nothing", files, { pattern: "zebra", path: "src" }, ['No line of the 2 files below src holds "zebra".']],
  [
    "the nearest folders and files when there is nothing at the path",
    files,
    { pattern: "x", path: "scr" },
    ['The project has no file at or below "scr". Nearest: src.']
  ],
  [
    "a pattern that no line holds as a regular expression, when it looks like one",
    files,
    { pattern: "^export|nowhere", path: "src/config.ts" },
    [`1 match in 1 file, ${ignored}.`, ...inConfig, asExpression]
  ],
  ...["nowhere|neither", "nowhere", "parse(|export"].map((pattern): (typeof cases)[number] => [
    `nothing by ${pattern}`,
    files,
    { pattern },
    [`No line of the 4 files holds ${JSON.stringify(pattern)}.`]
  ]),
  [
    "no expression that it is told not to take for one",
    files,
    { pattern: "^export", regex: false },
    ['No line of the 4 files holds "^export".']
  ],
  [
    "the text before the expression",
    { "a.txt": "a|b\nac\n" },
    { pattern: "a|b" },
    [`1 match in 1 file, ${ignored}.`, "a.txt:1: a|b"]
  ],
  ["what looks like a flag", plain, { pattern: "--pre=sh" }, [`1 match in 1 file, ${ignored}.`, "a.txt:3: --pre=sh"]],
  [
    "an expression",
    lines,
    regex,
    [`2 matches in 1 file, ${ignored}.`, "a.txt:1: export const a = 1", "a.txt:3: EXPORT CONST C"]
  ],
  [
    "where another file begins between lines around matches",
    { "a.txt": "one\ntext", "b.txt": "text\ntwo" },
    { pattern: "text", context: 1 },
    [`2 matches in 2 files, ${ignored}.`, "1: one", "a.txt:2: text", "--", "b.txt:1: text", "2: two"]
  ],
  [
    "some of each file, and the number of the rest",
    many,
    { pattern: "x", max_results: 5 },
    [
      `203 matches in 3 files, ${ignored}. Shown by file: a.txt 2 of 200, b.txt 2, c.txt 1. ${more}`,
      "a.txt:1: x",
      "a.txt:2: x",
      "b.txt:1: x",
      "b.txt:2: x",
      "c.txt:2: x"
    ]
  ],
  [
    "no letter case in digits",
    { "a.txt": "1\n1\n", "b.txt": "1\n" },
    { pattern: "1" },
    ["3 matches in 2 files.", "a.txt:1: 1", "a.txt:2: 1", "b.txt:1: 1"]
  ],
  [
    "the files that a glob with an exclamation mark leaves",
    { "a.md": "text", "b.ts": "text" },
    { pattern: "text", glob: "!*.md" },
    [`1 match in 1 file, ${ignored}.`, "b.ts:1: text"]
  ],
  [
    "once which declaration or heading holds the matches after it",
    code,
    { pattern: "key" },
    [
      `6 matches in 2 files, ${ignored}.`,
      "(in Schema.validate)",
      "a.py:3:         key()",
      "a.py:4:         key()",
      "(in Schema.reset)",
      "a.py:7:         key()",
      "--",
      "a.py:9: key()",
      "(in # Use)",
      "b.md:3: A key.",
      "--",
      "b.md:5: ## A key"
    ]
  ],
  [
    "once each line around matches of several declarations",
    code,
    { pattern: "key", path: "a.py", context: 2 },
    [
      `4 matches in 1 file, ${ignored}.`,
      "(in Schema.validate, Schema.reset)",
      "1: class Schema:",
      "2:     def validate(self):",
      "a.py:3:         key()",
      "a.py:4:         key()",
      "5:",
      "6:     def reset(self):",
      "a.py:7:         key()",
      "8:",
      "a.py:9: key()",
      "10:"
    ]
  ]
]

describe("search_files", () => {
  for (const [what, given, args, expected] of cases) {
    nodeTest(`finds ${what}`, () =>
      Effect.map(searched(given, args), (found) => assert.deepStrictEqual(found, [...expected]))
    )
  }

  nodeTest("shows one or two matches in code with the lines around them, unless told otherwise", function* () {
    const text = Array.from({ length: 20 }, (_, at) => `call${at + 1}()`).join("\n")
    const shown = (pattern: string, given = {}) =>
      Effect.map(searched({ "a.ts": text, "a.txt": text }, { pattern, path: "a.ts", ...given }), (found) =>
        found.slice(1)
      )
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

  nodeTest("shows the files with the most matches when not even one of each has room", function* () {
    const all = { ...few, "z.txt": "x\nx\nx\n", "y.txt": "x\nx\n" }
    const [head, ...shown] = yield* searched(all, { pattern: "x", max_results: 2 })
    assert.match(
      head ?? "",
      /^45 matches in 42 files, .* z\.txt 1 of 3, y\.txt 1 of 2, f10\.txt 0 of 1, .*, and 30 matches in 30 files more\. /
    )
    assert.deepStrictEqual(shown, ["y.txt:1: x", "z.txt:1: x"])
  })

  nodeTest("returns at most 16,000 characters", function* () {
    const long = `${"x".repeat(290)}\n`.repeat(100)
    const found = yield* searched({ "a.txt": long }, { pattern: "x", max_results: 100 })
    assert.isBelow(found.join("\n").length, 16_300)
    assert.match(found[0] ?? "", /^100 matches.*\. Shown by file: a\.txt 53 of 100\. For others look for a longer text/)
  })

  nodeTest("searches only files whose path fits the glob", function* () {
    const typed = { "a.ts": "x", "src/b.ts": "x", "src/deep/c.tsx": "x", "src/d.md": "x" }
    const found = (glob: string) =>
      Effect.map(searched(typed, { pattern: "x", glob, context: 0 }), (all) =>
        all.slice(1).map((line) => line.split(":")[0])
      )
    assert.deepStrictEqual(yield* found("*.ts"), ["a.ts", "src/b.ts"])
    assert.deepStrictEqual(yield* found("./src/**/*.{ts,tsx}"), ["src/b.ts", "src/deep/c.tsx"])
    assert.deepStrictEqual(yield* searched(typed, { pattern: "x", glob: "*.go", path: "src" }), [
      'No line of the 0 files below src like *.go holds "x".'
    ])
  })

  nodeTest("does not read secrets, binary files, links that lead out of the project, nowhere or round", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    yield* fs.writeFileString(`${outside}/secret.txt`, "needle outside\n")
    const { root, run } = yield* openTools({ files: { "a.txt": "needle\n", ".env": "KEY=needle\n" } })
    for (const [name, target] of [
      ["link.txt", `${outside}/secret.txt`],
      ["folder", outside],
      ["harmless.txt", `${root}/.env`],
      ["circle", "circle"],
      ["dangling", "nowhere"]
    ] as const) {
      yield* fs.symlink(target, `${root}/${name}`)
    }
    yield* fs.writeFileString(`${root}/b.bin`, "needle\0\0")
    const { data } = yield* run("search_files", { pattern: "needle" })
    assert.strictEqual(
      data,
      `1 match in 1 file, ${ignored}.\na.txt:1: needle\n(Not searched: 1 file that looks like a secret (.env), 3 files that may not be read (folder, harmless.txt, link.txt).)`
    )
  })

  nodeTest("minds the capitals of a pattern that is found as written, and else ignores letter case", function* () {
    const code = { "a.txt": "Undefined\nundefined\nname = UNDEFINED\nNAME\n" }
    const lines = (params: Arguments) =>
      Effect.map(searched(code, params), (rows) => rows.flatMap((row) => /^a\.txt:(\d)/.exec(row)?.[1] ?? []))
    assert.deepStrictEqual(yield* lines({ pattern: "Undefined" }), ["1"])
    assert.deepStrictEqual(yield* lines({ pattern: "undefined" }), ["1", "2", "3"])
    assert.deepStrictEqual(yield* lines({ pattern: "Undefined", case_sensitive: false }), ["1", "2", "3"])
    assert.deepStrictEqual(yield* lines({ pattern: "UnDefined" }), ["1", "2", "3"])
    assert.deepStrictEqual(yield* lines({ pattern: "UnDefined", case_sensitive: true }), [])
    assert.deepStrictEqual(yield* lines({ pattern: "Undefined|NAME" }), ["1", "4"])
    assert.deepStrictEqual(yield* lines({ pattern: "^UN\\S+$" }), ["1", "2"])
    assert.deepStrictEqual(yield* lines({ pattern: "^un\\S+$", regex: true }), ["1", "2"])
  })

  nodeTest("says what is wrong with a regular expression", function* () {
    const { run } = yield* openTools({ files })
    const problem = (pattern: string) => run("search_files", { pattern, regex: true })
    assert.strictEqual(
      (yield* problem("parse(")).error_message,
      'The regular expression "parse(" cannot be used: missing closing ): `parse(`. Correct it, or leave regex out.'
    )
    assert.strictEqual((yield* problem("a".repeat(1001))).error_type, "validation_failed")
  })

  nodeTest("ends for patterns and lines that are made to take forever", function* () {
    const { run } = yield* openTools({ files: { "a.txt": `${"a".repeat(1_000_000)}!\n`, "b.txt": "aaab\n" } })
    for (const pattern of ["(a+)+b$", "(a|aa)+b$", "(a*)*b"]) {
      const { data } = yield* run("search_files", { pattern, regex: true })
      assert.include(String(data), "b.txt:1: aaab")
    }
    const { data } = yield* run("search_files", { pattern: "a!" })
    assert.include(String(data), `\na.txt:1: ...${"a".repeat(100)}a! (of 1000001 characters)`)
  })

  nodeTest("finds words in every encoding, and names the encodings", function* () {
    const fs = yield* FileSystem.FileSystem
    const { root, run } = yield* openTools({ files: { "a.txt": "Größe\n" } })
    yield* fs.writeFile(`${root}/b.c`, Buffer.from("x\n/* Größe */\n", "latin1"))
    yield* fs.writeFile(`${root}/c.rc`, Buffer.from("\uFEFFx\r\nGröße\r\n", "utf16le"))
    assert.strictEqual(
      (yield* run("search_files", { pattern: "größe" })).data,
      [
        `3 matches in 3 files, ${ignored}.`,
        "a.txt:1: Größe\nb.c:2: /* Größe */\nc.rc:2: Größe",
        "(Encoded as Windows-1252 (Latin-1): b.c.)",
        "(Encoded as UTF-16LE: c.rc.)"
      ].join("\n")
    )
  })

  nodeTest(
    "says of a file or a folder only what it did not look at there, and never that no line holds the text",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const { answers, root, run } = yield* openTools({
        files: {
          "src/a.c": "x\n",
          "src/.env": "",
          "lib/b.c": "y\n",
          "private/c.c": "needle\n",
          "asked/d.c": "needle\n"
        },
        rules: [
          { verdict: "deny", tool: "read_file", pattern: "private/**" },
          { verdict: "ask", tool: "read_file", pattern: "asked/**" }
        ]
      })
      yield* fs.writeFile(`${root}/lib/b.o`, Buffer.from("needle\0"))
      yield* fs.writeFile(`${root}/lib/big.sql`, Buffer.alloc(11_000_000, "-- row\n"))
      const [secret, large] = ["1 file that looks like a secret (src/.env)", "1 file that is too large (lib/big.sql)"]
      const denied = "2 files that may not be read (asked/d.c, private/c.c)"
      const binary = "1 file that is not text (lib/b.o)"
      const rows: ReadonlyArray<readonly [path: string | undefined, text: string]> = [
        ["src/a.c", 'No line of the 1 file below src/a.c holds "needle".'],
        ["src", `"needle" was not found in the 1 file below src that was searched.\n(Not searched: ${secret}.)`],
        [
          "lib",
          `"needle" was not found in the 1 file below lib that was searched.\n(Not searched: ${large}, ${binary}.)`
        ],
        [
          undefined,
          `"needle" was not found in the 2 files that were searched.\n(Not searched: ${secret}, ${denied}, ${large}, ${binary}.)`
        ]
      ]
      for (const [path, text] of rows) {
        const given: Arguments = { pattern: "needle", ...(path === undefined ? {} : { path }) }
        assert.strictEqual((yield* run("search_files", given)).data, text)
      }
      assert.deepStrictEqual(yield* answers.denials, [])
    }
  )

  nodeTest("ends with what it has when the time is over, and lets others work meanwhile", function* () {
    const root = yield* makeProject({ "a.txt": "needle\n", "b.txt": "xyz\n".repeat(10_000), "c.txt": "needle\n" })
    let begun = 0
    const find = (line: string) => ((begun += line === "xyz" ? 1 : 0), line.indexOf("needle"))
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
      pattern: { find, charactersAtOnce: 400 }
    }
    const search = searchText(order).pipe(Effect.provide(Workspace.layer(root)))
    const [found] = yield* Effect.all([search, others], { concurrency: 2 })
    assert.deepStrictEqual([found.ended, found.searched, found.rows], ["time", 1, "a.txt:1: needle"])
    assert.isBelow(begun, 10_000)
  })

  const needles = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}.txt`, `needle ${n}\n`]))
  const minute = { toolSeconds: 300, tools: { search_files: { seconds: 60 } } }
  const limits: ReadonlyArray<
    [what: string, limits: NonNullable<OpenTools["limits"]>, passing: `${number} seconds`, says: RegExp]
  > = [
    [
      "ends before the limit of tools, and says which share of the files it saw",
      { toolSeconds: 4 },
      "3 seconds",
      /^\(Searched 1?\d?\d of 200 files, then the limit of 4 s was reached\. .*; the user can raise limits\.toolSeconds\.\)$/m
    ],
    [
      "ends before its own limit",
      minute,
      "58 seconds",
      /^\(Searched 1?\d?\d of 200 files, then the limit of 60 s was reached\. .*raise limits\.tools\.search_files\.seconds\.\)$/m
    ]
  ]
  for (const [what, given, time, says] of limits) {
    nodeTest(what, function* () {
      const { run } = yield* openTools({ files: needles, limits: given })
      const passing = Effect.andThen(Effect.yieldNow.pipe(Effect.repeat({ times: 20 })), TestClock.adjust(time))
      const [{ data, error_message }] = yield* Effect.all([run("search_files", { pattern: "needle" }), passing], {
        concurrency: 2
      })
      assert.isNull(error_message)
      assert.match(String(data), says)
    })
  }
})
