import { assert, expect, it } from "@effect/vitest"
import { commandForOtherTests, mayRunTest } from "../../../src/domain/map/TestArguments.ts"
import { splitCommand } from "../../../src/domain/commands/CommandSplit.ts"

const wordsOf = (line: string) => {
  const words = splitCommand(line)
  if (typeof words === "string") throw new Error(words)
  return words
}

/** A check, a changed test file, and the check for that file. */
const others: ReadonlyArray<readonly [check: string, file: string, other: string | undefined]> = [
  ["pytest -q tests/a tests/test_b.py", "tests/c/test_d.py", "pytest -q tests/c/test_d.py"],
  ["python -m pytest tests/test_b.py::test_one -x", "tests/test_d.py", "python -m pytest -x tests/test_d.py"],
  ["node --test test/a.test.mjs", "test/b.test.mjs", "node --test test/b.test.mjs"],
  ["bundle exec rspec spec/a_spec.rb", "spec/b_spec.rb", "bundle exec rspec spec/b_spec.rb"],
  ["pytest -q", "tests/test_d.py", undefined],
  ["pytest tests", "tests/c/test_d.py", undefined],
  ["pytest tests/c/", "tests/c/test_d.py", undefined],
  ["pytest tests/test_d.py::test_one", "tests/test_d.py", undefined],
  ["pytest tests/a", "web/d.test.ts", undefined],
  ["pytest --rootdir tests", "tests/test_d.py", undefined],
  ["go test ./a ./...", "b/b_test.go", undefined],
  ["make test", "tests/test_d.py", undefined],
  ["npx eslint test/a.test.ts", "test/b.test.ts", undefined],
  ["tests/run.sh", "tests/test_d.py", undefined]
]

it.each(others)("commandForOtherTests gives for %s and %s: %s", (check, file, other) => {
  assert.deepStrictEqual(commandForOtherTests(wordsOf(check), [file])?.join(" "), other)
})

it("mayRunTest is true for a named file, a file below a named folder, and a command without test paths", () => {
  const check = wordsOf("pytest tests/a tests/test_b.py")
  const files = ["tests/a/test_c.py", "tests/test_b.py", "tests/ab/test_c.py", "tests/test_d.py"]
  expect(files.map((file) => mayRunTest(check, file))).toStrictEqual([true, true, false, false])
  assert.isTrue(mayRunTest(wordsOf("npm test"), "tests/test_d.py"))
  for (const line of ["npx tsc --noEmit", "npm run lint", "python -m mypy .", "go vet ./..."])
    assert.isFalse(mayRunTest(wordsOf(line), "tests/test_d.py"), line)
})
