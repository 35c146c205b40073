import { assert, describe, it } from "@effect/vitest"
import { isTrouble, troubleFilter } from "../../../src/domain/text/TroubleLines.ts"

describe("lines that say what went wrong", () => {
  it.each([
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "--- FAIL: TestSum (0.00s)",
    "FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2",
    "E       assert 1 == 2",
    "thread 'main' panicked at src/lib.rs:3:5:",
    "Traceback (most recent call last):",
    "ValueError: no such thing",
    " × adds two numbers 4ms",
    "not ok 3 - adds",
    "      Tests  1 failed | 3 passed (4)"
  ])("are found: %s", (line) => assert.isTrue(isTrouble(line)))

  it.each([
    "ok 3 - reports an error",
    " ✓ fails without a file 3ms",
    "test errors::are_counted ... ok",
    "tests/test_errors.py::test_error PASSED [ 50%]",
    "--- PASS: TestError (0.00s)",
    "0 errors, 3 warnings",
    "Compiling app v0.1.0",
    ""
  ])("are not taken for others: %s", (line) => assert.isFalse(isTrouble(line)))

  it("keep the two lines after them", () => {
    assert.deepStrictEqual(["a", "error: b", "c", "d", "e"].map(troubleFilter()), [false, true, true, true, false])
  })
})
