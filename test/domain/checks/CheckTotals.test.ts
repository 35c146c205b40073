/**
 * Whether something passed beside what fails: outputs of the usual runners with an old failure, which must not keep a run from
 * being done, and the same with nothing beside.
 */
import { expect, it } from "@effect/vitest"
import { type CheckCommand, outcomeOf, statusOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { testCounts } from "../../../src/domain/checks/CheckTotals.ts"
import { readCheckOutput } from "../../../src/domain/checks/CheckOutput.ts"

const check: CheckCommand = { argv: ["npm", "test"], kind: "given" }

/** By runner: the output with something beside, the failure in it, and what takes the rest away. */
const outputs: ReadonlyArray<readonly [string, string, string, string]> = [
  ["vitest", "FAIL  a.test.ts > a\n Tests  1 failed | 3 passed (4)\n", "a.test.ts > a", "Tests  1 failed (1)\n"],
  ["jest", "● sum › a\nTests:   1 failed, 3 passed, 4 total\n", "sum › a", "Tests:   1 failed, 1 total\n"],
  ["node", "✖ adds\nℹ tests 4\nℹ pass 3\nℹ fail 1\n", "adds", "ℹ tests 1\nℹ pass 0\nℹ fail 1\n"],
  ["mocha", "  3 passing (4ms)\n  1 failing\n\n  1) sum\n       adds:\n", "sum > adds", "  0 passing\n  1 failing\n"],
  ["pytest", "FAILED a.py::test_x - assert 1\n1 failed, 3 passed in 0.1s\n", "a.py::test_x", "1 failed in 0.1s\n"],
  [
    "unittest",
    "FAIL: test_x (test_a.T)\nRan 4 tests in 0.001s\n\nFAILED (failures=1)\n",
    "test_x (test_a.T)",
    "Ran 1 test in 0.001s\n\nFAILED (failures=1)\n"
  ],
  ["go", "--- FAIL: TestA (0.00s)\nFAIL\ta\t0.1s\nok  \tb\t0.1s\n", "TestA", "FAIL\ta\t0.1s\n"],
  ["go -v", "--- PASS: TestB (0.00s)\n--- FAIL: TestA (0.00s)\nFAIL\ta\t0.1s\n", "TestA", "FAIL\ta\t0.1s\n"],
  [
    "cargo",
    "test a ... FAILED\ntest result: FAILED. 3 passed; 1 failed",
    "a",
    "test result: FAILED. 0 passed; 1 failed"
  ],
  [
    "maven",
    "[ERROR]   SumTest.adds:5 expected\n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n",
    "SumTest.adds",
    "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n"
  ],
  ["gradle", "Sum > a() FAILED\n4 tests completed, 1 failed\n", "Sum > a()", "1 test completed, 1 failed\n"],
  [
    "dotnet",
    "  Failed A.SumTest.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 20 ms\n",
    "A.SumTest.Adds",
    "Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1\n"
  ],
  ["rspec", "4 examples, 1 failure\n\nrspec ./spec/sum_spec.rb:3 # Sum adds\n", "Sum adds", "1 example, 1 failure\n"],
  [
    "minitest",
    "SumTest#test_adds [test/sum_test.rb:5]:\n4 runs, 5 assertions, 1 failures, 0 errors, 0 skips\n",
    "SumTest#test_adds",
    "1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n"
  ],
  ["phpunit", "1) A::a\nTests: 4, Assertions: 5, Failures: 1.\n", "A::a", "Tests: 1, Assertions: 1, Failures: 1.\n"],
  ["exunit", "  1) test adds (SumTest)\n4 tests, 1 failure\n", "test adds (SumTest)", "1 test, 1 failure\n"],
  [
    "ctest",
    "75% tests passed, 1 tests failed out of 4\n\n\t  2 - sum (Failed)\n",
    "sum",
    "0% tests passed, 1 tests failed out of 1\n"
  ],
  ["bun", "(fail) sum > adds [0.10ms]\n 3 pass\n 1 fail\n", "sum > adds", " 0 pass\n 1 fail\n"],
  ["eslint", "/p/a.js\n  1:1  error  bad  no-x\n✖ 1 problem (1 error, 0 warnings)\n", "/p/a.js: bad no-x", ""],
  ["tsc", "a.ts(1,5): error TS2304: Cannot find name 'c'.\n", "a.ts: error TS2304: Cannot find name 'c'.", ""],
  ["mypy", "a.py:3: error: No x [name]\nFound 1 error in 1 file\n", "a.py: error: No x [name]", ""],
  ["pyright", "/p/a.py:3:1 - error: No x\n1 error, 0 warnings, 0 informations\n", "/p/a.py: error: No x", ""],
  ["ruff", "a.py:1:8: F401 [*] `os` unused\nFound 1 error.\n", "a.py: F401 [*] `os` unused", ""]
]

it.each(outputs)("an old failure is set aside where something passes beside it: %s", (_runner, output, failure) => {
  expect(readCheckOutput(output).failures.map(({ name }) => name)).toEqual([failure])
  const run = { exitCode: 1, output, seconds: 1 }
  const outcome = outcomeOf(check, run, { before: run })
  expect([statusOf(outcome), outcome.newFailures]).toEqual(["nothing new fails", []])
  expect(statusOf(outcomeOf(check, run, { before: { ...run, exitCode: 0, output: "" } }))).toBe("failed")
})

it.each(outputs.filter(([, , , alone]) => alone !== ""))(
  "an old failure fails the check where nothing passes: %s",
  (_runner, output, _failure, alone) => {
    const lines = output
      .split("\n")
      .filter((line) => readCheckOutput(line).totals.length === 0 && !/^(?:ok|FAIL)\s+\S+\t/.test(line))
    const run = { exitCode: 1, output: [...lines, alone].join("\n"), seconds: 1 }
    const outcome = outcomeOf(check, run, { before: run })
    expect([statusOf(outcome), outcome.newFailures]).toEqual(["failed", []])
  }
)

const counts = (totals: string) => {
  const { failed = 0, passed = 0, skipped = 0 } = testCounts(totals.split("\n")) ?? {}
  return [passed, failed, skipped]
}

it.each([
  ["Test Files 2 passed (2)\nTests 1 failed | 5 passed | 1 skipped (7)", [5, 1, 1]],
  ["Test Suites: 1 failed, 1 total\nTests: 2 failed, 1 skipped, 1 passed, 4 total", [1, 2, 1]],
  ["tests 5\npass 4\nfail 1\ncancelled 1\nskipped 1", [4, 2, 1]],
  ["3 passing\n1 failing\n2 pending", [3, 1, 2]],
  ["6 failed, 2 passed, 3 skipped, 1 error", [2, 7, 3]],
  ["Ran 9 tests\nFAILED (failures=1, errors=2, skipped=3)", [3, 3, 3]],
  ["Ran 3 tests\nOK (skipped=1)", [2, 0, 1]],
  ["Ran 4 tests\nOK (skipped=1, expected failures=1)", [2, 0, 2]],
  ["Ran 6 tests\nFAILED (failures=2, expected failures=1, unexpected successes=1)", [2, 3, 1]],
  [
    [
      "Executed 2 tests, with 0 failures (0 unexpected) in 0.001 (0.002) seconds",
      "Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.001 (0.002) seconds",
      "Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.002 (0.004) seconds",
      "Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.002 (0.005) seconds"
    ].join("\n"),
    [3, 1, 1]
  ],
  ["Executed 1 test, with 0 failures (0 unexpected)", [1, 0, 0]],
  ["Executed 4 tests, with 2 tests skipped and 0 failures (0 unexpected)", [2, 0, 2]],
  ["test result: ok. 3 passed; 0 failed; 1 ignored\ntest result: ok. 3 passed; 0 failed", [6, 0, 1]],
  ["Tests run: 4, Failures: 1, Errors: 1, Skipped: 1", [1, 2, 1]],
  ["4 tests completed, 1 failed, 1 skipped", [2, 1, 1]],
  ["Failed: 1, Passed: 3, Skipped: 2, Total: 6", [3, 1, 2]],
  ["4 runs, 5 assertions, 1 failures, 1 errors, 1 skips", [1, 2, 1]],
  ["4 examples, 1 failure, 1 pending", [2, 1, 1]],
  ["75% tests passed, 1 tests failed out of 4", [3, 1, 0]],
  ["3 passed (2 steps) | 1 failed", [3, 1, 0]],
  ["3 pass\n1 fail", [3, 1, 0]]
])("testCounts reads what passed, failed and was skipped: %j", (totals, expected) => {
  expect(counts(totals)).toEqual(expected)
})

it("testCounts reads nothing in totals of errors, files and packages", () => {
  const others = ["Found 1 error in 1 file", "1 error, 0 warnings, 0 informations", "2 packages ok"]
  for (const total of [...others, "2 problems (2 errors, 0 warnings)", "Test Files 2 passed (2)"]) {
    expect(testCounts([total])).toBeUndefined()
  }
})
