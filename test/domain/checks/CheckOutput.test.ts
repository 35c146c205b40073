import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { comparableOutput, readCheckOutput } from "../../../src/domain/checks/CheckOutput.ts"
import { outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { estimateTokens } from "../../../src/domain/models/PromptSize.ts"
import { plainLine } from "../../../src/domain/text/TerminalText.ts"

const tsc = ["a.ts: error TS2322: Type 'string' is not assignable to type 'number'."].concat(
  ["", " (2)"].map((more) => `a.ts: error TS2304: Cannot find name 'c'.${more}`)
)

/** The failures in outputs as the programs wrote them; those of Gradle follow their documentation. */
const named: Readonly<Record<string, ReadonlyArray<string>>> = {
  cargo: ["tests::adds"],
  "cargo-build": ["src/lib.rs: error[E0308]: mismatched types", "src/lib.rs: error[E0308]: mismatched types (2)"],
  eslint: [
    "/project/src/a.js: 'unused' is assigned a value but never used no-unused-vars",
    "/project/src/a.js: 'missing' is not defined no-undef"
  ],
  go: ["TestAdd", "TestSub/inner"],
  "go-build": ["calc/b.go: undefined: undef"],
  "go-vet": ["calc/b.go: undefined: undef"],
  gradle: ["SumTest > adds()"],
  jest: ["sum › adds", "sum › deep › throws"],
  make: ["a.c: error: ‘x’ undeclared (first use in this function)"],
  maven: ["SlugTest.keepsWordsWhole", "SlugTest.saysWhy", "SlugTest.isNull"],
  mocha: ["sum > adds", "sum > deep > throws"],
  node: ["adds", "inner", "group"],
  "node-tap": ["adds", "inner", "group"],
  pytest: ["test_a.py::test_bad", "test_a.py::TestC::test_err"],
  "pytest-collection": ["test_b.py"],
  "pytest-comments": ["test_lib.py::test_dict"],
  tsc,
  "tsc-pretty": tsc,
  "unittest-deep": [
    "setUpClass (ut_slugs.SetUp)",
    "test_deep (ut_slugs.Slugs.test_deep)",
    "test_map (ut_slugs.Slugs.test_map)",
    "test_parts (ut_slugs.Slugs.test_parts) (text='ä b')",
    "test_words (ut_slugs.Slugs.test_words)"
  ],
  vitest: ["b.test.ts", "a.test.ts > sum > adds", "a.test.ts > sum > throws"]
}

/** The totals in the same outputs. */
const counted: Readonly<Record<string, ReadonlyArray<string>>> = {
  cargo: ["test result: FAILED. 1 passed; 1 failed"],
  eslint: ["2 problems (2 errors, 0 warnings)"],
  gradle: ["2 tests completed, 1 failed"],
  jest: ["Test Suites: 1 failed, 1 total", "Tests: 2 failed, 1 passed, 3 total"],
  maven: ["Tests run: 4, Failures: 2, Errors: 1, Skipped: 0"],
  mocha: ["1 passing", "2 failing"],
  node: ["tests 4", "pass 1", "fail 3"],
  "node-tap": ["tests 4", "pass 1", "fail 3"],
  pytest: ["2 failed, 1 passed"],
  "pytest-collection": ["1 error"],
  "pytest-comments": ["1 failed"],
  "tsc-pretty": ["Found 3 errors in the same file, starting at: a.ts:1"],
  "unittest-deep": ["Ran 5 tests", "FAILED (failures=3, errors=2)"],
  vitest: ["Test Files 2 failed (2)", "Tests 2 failed | 1 passed (3)"]
}

/** What the text for a model must hold about the first failures: values, the line that fails, and where it is. */
const shownInText: ReadonlyArray<readonly [output: string, parts: ReadonlyArray<string>]> = [
  [
    "pytest-long",
    [
      '>       assert third == "the-quick"',
      "E       AssertionError: assert 'the-quick-br' == 'the-quick'",
      "tests/test_slugs.py:32: AssertionError",
      '>       key, value = line.split("=")',
      "E       ValueError: too many values to unpack (expected 2)",
      "slugs.py:14: ValueError",
      "E       RuntimeError: no settings here",
      "totals: 4 failed, 2 passed, 1 error"
    ]
  ],
  ["pytest-comments", [">       raise SchemaError", "lib.SchemaError: ([\"Key 'A' error:\"", "lib.py:19: SchemaError"]],
  ["pytest-native", ["AssertionError: assert 'the-quick-br' == 'the-quick'", 'slugs.py", line 14, in parse']],
  ["unittest-deep", ["+  'key7': 70,", 'slugs.py", line 13', "not enough values", "(failures=3, errors=2)"]],
  ["vitest-deep", ['Received: "the-quick-br"', "slug.test.mjs:6:41", '-   "key7": 70,', "slug.test.mjs:14:25"]],
  ["jest", ["Expected value to strictly be equal to:", "test/a.test.js:2:51", "TypeError: boom"]],
  ["mocha", ["2 !== 3", "+3", "test/a.test.js:2:149"]],
  ["node-tap", ["2 !== 3", "boom", "a.test.js:4:66"]],
  ["go-v", ['want "the-quick"', "calc_test.go:32: maps differ", "/project/calc/calc.go:13"]],
  ["go-panic", ["panic: runtime error: index out of range", "/project/calc/calc.go:13"]],
  ["cargo-many", ['right: "the-quick"', "src/lib.rs:16:9", "test did not panic as expected", "1 passed; 5 failed"]],
  ["maven", ["line 5: expected: <the-quick> but was: <the-quick-br>"]]
]

/** What a reader must find about a failure: what was expected, or where it is. */
const explanations: ReadonlyArray<readonly [output: string, failure: string, detail: string]> = [
  ["cargo", "tests::adds", "left: -1"],
  ["cargo-build", "src/lib.rs: error[E0308]: mismatched types", "at src/lib.rs:9:21"],
  ["gradle", "SumTest > adds()", "expected: <3> but was: <-1>"],
  ["make", "a.c: error: ‘x’ undeclared (first use in this function)", "at a.c:1:25"],
  ["maven", "SlugTest.isNull", 'line 7: » NullPointer Cannot invoke "String.toLowerCase()"'],
  ["node-tap", "inner", "error: 'boom'"],
  ["pytest", "test_a.py::TestC::test_err", "KeyError: 'x'"],
  ["pytest-collection", "test_b.py", "SyntaxError: invalid syntax"],
  ["tsc", "a.ts: error TS2304: Cannot find name 'c'. (2)", "at a.ts:3:18"],
  ["vitest", "b.test.ts", "Cannot find module './missing'"]
]

/** Commands give their output as plain lines. */
const outputOf = (name: string): string =>
  readFileSync(`test/fixtures/checkOutputs/${name}.txt`, "utf8").split("\n").map(plainLine).join("\n")
const read = (name: string) => readCheckOutput(outputOf(name))

describe("the output of a check", () => {
  it.each(Object.keys(named))("names what fails, and the totals: %s", (name) => {
    const { failures, totals } = read(name)
    expect([failures.map((failure) => failure.name), totals]).toEqual([named[name], counted[name] ?? []])
  })

  it.each(explanations)("explains a failure: %s, %s", (name, failure, detail) => {
    const found = read(name).failures.find((one) => one.name === failure)
    expect(found?.details.join("\n")).toContain(detail)
  })

  it.each(shownInText)("is shown with values and places, in 500 tokens: %s", (name, parts) => {
    const end = { exitCode: 1, output: outputOf(name), seconds: 1 }
    const { failures, text } = outcomeOf({ argv: ["check"], kind: "tests" }, end)
    expect(parts.filter((part) => !text.includes(part))).toEqual([])
    expect(failures.filter((failure) => !text.includes(failure))).toEqual([])
    expect(text).not.toMatch(/site-packages|node_modules|node:internal|testing\.go|rustc|gener?atedMessage/)
    expect(estimateTokens(text)).toBeLessThanOrEqual(500)
  })

  it("holds no frames of runners and no rulers", () => {
    const details = Object.keys(named).flatMap((name) => read(name).failures.flatMap((failure) => failure.details))
    expect(details.filter((line) => /node:internal|node_modules|rustc|^\s*[-=_~⎯]+\s*$/.test(line))).toEqual([])
  })

  it("names the same failures when lines before them were added", () => {
    const [before, after] = ["a.ts(3,5): error TS1005: ';' expected.", "a.ts(13,5): error TS1005: ';' expected."]
    expect(readCheckOutput(after).failures[0]?.name).toBe(readCheckOutput(before).failures[0]?.name)
  })

  it("names a summary only when nothing else is named", () => {
    const summary = "make: *** [Makefile:2: test] Error 1"
    expect(readCheckOutput(summary).failures).toEqual([{ name: summary, details: [] }])
    const both = readCheckOutput(`a.c:1:2: error: no\n${summary}`)
    expect(both.failures.map(({ name }) => name)).toEqual(["a.c: error: no"])
  })

  it("names nothing in what it does not know, and in what passes", () => {
    expect(readCheckOutput("It is bad.\nVery bad.\n")).toEqual({ failures: [], totals: [] })
    expect(readCheckOutput("ok  \texample.com/a\t0.1s\nok  \texample.com/b\t0.1s\n")).toEqual({
      failures: [],
      totals: ["2 packages ok"]
    })
  })

  it("is compared without times and addresses", () => {
    expect(comparableOutput("bad at 0x7f81 after 12.5 s\n")).toBe(comparableOutput("bad at 0x1234 after 9 s"))
    expect(comparableOutput("bad")).not.toBe(comparableOutput("worse"))
  })
})
