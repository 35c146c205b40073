import { describe, expect, it } from "@effect/vitest"
import { importsOf, testsOfName } from "../../../src/domain/map/TestFiles.ts"

describe("tests of the same name", () => {
  it.each([
    ["src/a.ts", ["src/a.test.ts", "test/b.test.ts"], ["src/a.test.ts"]],
    ["pkg/parser.py", ["tests/test_parser.py", "tests/test_other.py"], ["tests/test_parser.py"]],
    ["src/list/index.ts", ["test/list.test.ts", "test/index.test.ts"], ["test/list.test.ts"]],
    ["src/web/list.ts", ["test/web/list.test.ts", "test/files/list.test.ts"], ["test/web/list.test.ts"]],
    ["src/a/index.ts", ["src/a/index.test.ts", "src/b/index.test.ts"], ["src/a/index.test.ts"]],
    ["lib/till.js", ["lib/__tests__/till.js"], ["lib/__tests__/till.js"]],
    ["lib/till.ex", ["test/till_test.exs"], ["test/till_test.exs"]],
    ["src/till.ts", ["tests/test_till.py"], []],
    ["src/a.ts", ["test/b.test.ts"], []]
  ])("belong to a file: %s", (path, tests, expected) => {
    expect(testsOfName(path, tests)).toEqual(expected)
  })
})

describe("the imports of a test", () => {
  it.each([
    [`import { a } from "../src/a.js"`, "src/a.ts", true],
    [`const a = require('../src/a')`, "src/a.js", true],
    [`vi.mock("../src/a.ts")`, "src/a.ts", true],
    [`import "../src/list"`, "src/list/index.ts", true],
    [`import { a } from "@/views/a"`, "src/views/a.ts", true],
    [`import { a } from "../src/ab.js"`, "src/a.ts", false],
    [`import { a } from "a"`, "src/a.ts", false]
  ])("name files: %s", (text, path, expected) => {
    expect(importsOf("test/x.test.ts", text)(path)).toBe(expected)
  })

  it.each([
    ["from pkg.parser import parse", "src/pkg/parser.py", true],
    ["from pkg import (parser, other)", "pkg/parser.py", true],
    ["import pkg.parser", "pkg/parser.py", true],
    ["    import pkg", "pkg/__init__.py", true],
    ["from pkg import parser as p", "pkg/parser.py", true],
    ["import parsers", "pkg/parser.py", false],
    ["# import pkg.parser", "pkg/parser.py", false]
  ])("name modules of Python: %s", (text, path, expected) => {
    expect(importsOf("tests/test_x.py", text)(path)).toBe(expected)
  })
})
