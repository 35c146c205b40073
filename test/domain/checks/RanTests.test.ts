/** What ran, read from outputs as the runners wrote them, beside changes that declare tests. */
import { describe, expect, it } from "@effect/vitest"
import { newTestsIn, ranTests, ranText } from "../../../src/domain/checks/RanTests.ts"

const file = (path: string, text: string, base: string | null = null) => ({ path, base, text })

const names = (path: string, text: string, base: string | null = null) =>
  newTestsIn([file(path, text, base)]).map(({ name }) => name)

describe("the new tests of a change", () => {
  it.each([
    ["a.test.ts", "describe('sum', () => { it('adds', f); test.only(`isn\\`t`, f) })", ["adds", "isn`t"]],
    ["a.test.ts", 'live("waits", () => {})\nit.effect("runs", () => {})', ["waits", "runs"]],
    ["a_test.py", "def test_a():\n  pass\nclass B:\n  async def test_b(self): pass\n", ["test_a", "test_b"]],
    ["a_test.go", "func TestA(t *testing.T) {}\nfunc helper() {}\n", ["TestA"]],
    ["a.rs", "#[test]\n#[ignore]\nfn adds() {}\n#[tokio::test]\nasync fn waits() {}\nfn x() {}\n", ["adds", "waits"]],
    ["ATest.java", "@Test\nvoid adds() {}\nvoid helper() {}\n", ["adds"]],
    ["ATest.kt", "@Test fun `adds more`() {}\n", ["adds more"]],
    ["a.md", "def test_a():\n", []]
  ])("are those that it declares: %s", (path, text, expected) => {
    expect(names(path, text)).toEqual(expected)
  })

  it("are those of a chain of members, but for suites", () => {
    const text = 'it\n  .only("adds", () => {})\nit.skip.each("more", f)\ndescribe.only("sum", () => {})\n'
    expect(names("a.test.ts", text)).toEqual(["adds", "more"])
  })

  it.each([
    ["a.test.ts", "a.".repeat(500_000)],
    ["ATest.java", "@Test\n".repeat(200_000)],
    ["a.rs", "#[test\n".repeat(200_000)],
    ["a.rs", "#[test]\n".repeat(200_000)]
  ])("are looked for in a text of megabytes that begins very many, and the search ends: %s", (path, text) => {
    expect(names(path, text)).toEqual([])
  })

  it("are none that a changed file declared before", () => {
    expect(names("a_test.py", "def test_a(): pass\ndef test_b(): pass\n", "def test_a(): pass\n")).toEqual(["test_b"])
    const moved = [file("b_test.py", "def test_a(): pass\n"), file("a_test.py", "", "def test_a(): pass\n")]
    expect(newTestsIn(moved)).toEqual([])
  })
})

const outputs: Readonly<Record<string, readonly [test: string, output: string, text: string]>> = {
  vitest: [
    "a.test.ts: adds more",
    " ✓ a.test.ts > sum > adds more 2ms\n ↓ a.test.ts > sum > left\n ✓ b.test.ts > adds more 1ms\n\n Test Files  2 passed (2)\n      Tests  2 passed | 1 skipped (3)\n",
    "1 skipped, 2 passed, 1 of them new: adds more"
  ],
  jest: [
    "a.test.js: adds more",
    "PASS a.test.js\n  sum\n    ✓ adds more (3 ms)\n    ✓ old\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n",
    "2 passed, 1 of them new: adds more"
  ],
  mocha: ["a.js: adds more", "  ✔ adds more (12ms)\n\n  2 passing (1ms)\n", "2 passed, 1 of them new: adds more"],
  node: [
    "a.test.mjs: adds more",
    "✔ old (1.8ms)\n▶ sum\n  ✔ adds more (0.25ms)\n  ﹣ left (3.3ms) # SKIP\n✔ sum (4.2ms)\nℹ tests 3\nℹ pass 2\nℹ fail 0\nℹ skipped 1\n",
    "1 skipped, 2 passed, 1 of them new: adds more"
  ],
  "node with TAP": [
    "a.test.mjs: adds more",
    "TAP version 13\n# Subtest: sum\n    # Subtest: adds more\n    ok 1 - adds more\n    ok 2 - left # SKIP\n    1..2\nok 1 - sum\n# tests 2\n# pass 1\n# skipped 1\n",
    "1 skipped, 1 passed, 1 of them new: adds more"
  ],
  pytest: [
    "tests/test_a.py: test_more",
    "tests/test_a.py s..  [100%]\n\nPASSED tests/test_a.py::A::test_more[1]\nPASSED tests/test_a.py::A::test_more[2]\n==== 2 passed, 1 skipped in 0.03s ====\n",
    "1 skipped, 2 passed, 1 of them new: test_more"
  ],
  unittest: [
    "tests/test_a.py: test_more",
    "test_left (tests.test_a.A.test_left) ... skipped 'no'\ntest_more (tests.test_a.A.test_more)\nAdds more. ... ok\ntest_old (tests.test_a.A.test_old) ... ok\n\nRan 3 tests in 0.000s\n\nOK (skipped=1)\n",
    "1 skipped, 2 passed, 1 of them new: test_more"
  ],
  go: [
    "a_test.go: TestMore",
    "=== RUN   TestOld\n--- PASS: TestOld (0.00s)\n=== RUN   TestMore\n=== RUN   TestMore/deep\n--- PASS: TestMore (0.00s)\n    --- PASS: TestMore/deep (0.00s)\n--- SKIP: TestLeft (0.00s)\nPASS\nok  \texample.com/a\t0.003s\n",
    "1 skipped, 2 passed, 1 of them new: TestMore"
  ],
  cargo: [
    "src/lib.rs: adds_more",
    "running 2 tests\ntest tests::left ... ignored\ntest tests::adds_more ... ok\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n",
    "1 skipped, 1 passed, 1 of them new: adds_more"
  ],
  gradle: [
    "SumTest.java: addsMore",
    "SumTest > addsMore() PASSED\nSumTest > adds() FAILED\n\n2 tests completed, 1 failed\n",
    "1 failed, 1 passed, 1 of them new: addsMore"
  ],
  "maven, which names no tests": [
    "SumTest.java: addsMore",
    "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in demo.SumTest\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1\n",
    "1 skipped, 3 passed"
  ]
}

const named = (path: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => ({ path: `src/test/java/org/text/${path}.java`, name }))

const textOf = (count: number) =>
  ranText({ passed: 9, failed: 0, skipped: 0, newTests: Array.from({ length: count }, (_, at) => `t${at}`) })

const newIn = (output: string, path: string, name: string) => ranTests({ output }, [{ path, name }])?.newTests

describe("what ran", () => {
  it.each(Object.entries(outputs))("is told from the output of %s", (_runner, [test, output, text]) => {
    const [path = "", name = ""] = test.split(": ")
    const ran = ranTests({ output }, [{ path, name }])
    expect(ran && ranText(ran)).toBe(text)
    expect(ranTests({ output }, [{ path, name: "test_never" }])?.newTests).toEqual([])
  })

  it("is not told of a name that two tests have, unless the output says in which files they are", () => {
    expect(newIn("PASSED tests/test_a.py::test_more\n2 passed in 0.1s\n", "tests/test_b.py", "test_more")).toEqual([])
    expect(newIn("  ✔ adds more\n  ✔ adds more\n\n  2 passing (1ms)\n", "a.js", "adds more")).toEqual([])
  })

  it("is told from lines of up to a thousand characters", () => {
    const output = `✔ ${"x".repeat(998)}\n✔ ${"x".repeat(999)}\n\n  2 passing (1ms)\n`
    const declared = [998, 999].map((length) => ({ path: "a.js", name: "x".repeat(length) }))
    expect(ranTests({ output }, declared)?.newTests.map(({ length }) => length)).toEqual([998])
  })

  it("is told of a line with very many counts, and ends", () => {
    for (const name of [`parses${" (1 test)".repeat(90)} x`, "parses"]) {
      const output = ` ✓ ${name === "parses" ? `parses${" (1 test)".repeat(90)}` : name}\n\n  2 passing (1ms)\n`
      expect(ranTests({ output }, [{ path: "a.js", name }])?.newTests).toEqual([name])
    }
  })

  it("is told from the reports in XML where the output of Maven or Gradle says nothing", () => {
    const report = `<testsuite tests="4">
  <testcase name="keepsBlanks" classname="org.text.SlugTest" time="0.1"/>
  <testcase classname="org.text.SlugTest$Nested" name="cuts &lt;b&gt;(String)[2]"><system-out><![CDATA[<testcase name="no"/>]]></system-out></testcase>
  <testcase name="fails" classname="org.text.SlugTest"><failure message="a > b">at</failure></testcase>
  <testcase name="waits" classname="org.text.SlugTest"><skipped/></testcase>
</testsuite>`
    const other = '<testsuite><testcase name="keepsBlanks" classname="org.text.OtherTest"/></testsuite>'
    const declared = named("SlugTest", "keepsBlanks", "cuts <b>", "fails", "waits", "no")
    const newTests = ["keepsBlanks", "cuts <b>"]
    const counted = { passed: 3, failed: 1, skipped: 1, newTests }
    expect(ranTests({ output: "", reports: [report, other] }, declared)).toEqual(counted)
    const totals = "[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n"
    const ran = ranTests({ output: totals, reports: [report] }, declared.slice(0, 1))
    expect(ran).toEqual({ passed: 9, failed: 0, skipped: 0, newTests: ["keepsBlanks"] })
    const elsewhere = named("ThirdTest", "keepsBlanks")
    expect(ranTests({ output: "", reports: [report] }, elsewhere)?.newTests).toEqual([])
  })

  it("is nothing where no tests are counted", () => {
    expect(ranTests({ output: "ok  \texample.com/a\t0.1s\n" }, [])).toBeUndefined()
    expect(ranTests({ output: "BUILD SUCCESSFUL in 2s\n" }, [])).toBeUndefined()
  })

  it("names five new tests and counts the others", () => {
    expect(textOf(5)).toBe("9 passed, 5 of them new: t0; t1; t2; t3; t4")
    expect(textOf(6)).toBe("9 passed, 6 of them new: t0; t1; t2; t3; t4 and 1 more")
  })
})
