import { expect, it } from "@effect/vitest"
import { testsOfName } from "../../../src/domain/map/TestFiles.ts"

it.each([
  ["src/a.ts", ["src/a.test.ts", "test/b.test.ts"], ["src/a.test.ts"]],
  ["pkg/parser.py", ["tests/test_parser.py", "tests/test_other.py"], ["tests/test_parser.py"]],
  ["src/list/index.ts", ["test/list.test.ts", "test/index.test.ts"], ["test/list.test.ts"]],
  ["src/web/list.ts", ["test/web/list.test.ts", "test/files/list.test.ts"], ["test/web/list.test.ts"]],
  ["src/a/index.ts", ["src/a/index.test.ts", "src/b/index.test.ts"], ["src/a/index.test.ts"]],
  ["lib/till.js", ["lib/__tests__/till.js"], ["lib/__tests__/till.js"]],
  ["lib/till.ex", ["test/till_test.exs"], ["test/till_test.exs"]],
  ["src/till.ts", ["tests/test_till.py"], []],
  ["src/main/java/a/Till.java", ["src/test/java/a/TillTests.java"], ["src/test/java/a/TillTests.java"]],
  ["src/a.ts", ["test/b.test.ts"], []]
])("tests of the same name belong to a file: %s", (path, tests, expected) => {
  expect(testsOfName(path, tests)).toEqual(expected)
})
