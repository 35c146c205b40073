import { expect, it } from "@effect/vitest"
import { importsOf } from "../../../src/domain/files/ImportedFiles.ts"

it.each([
  [`import { a } from "../src/a.js"`, "src/a.ts", true],
  [`const a = require('../src/a')`, "src/a.js", true],
  [`vi.mock("../src/a.ts")`, "src/a.ts", true],
  [`import "../src/list"`, "src/list/index.ts", true],
  [`import { a } from "@/views/a"`, "src/views/a.ts", true],
  [`import { a } from "../src/ab.js"`, "src/a.ts", false],
  [`import { a } from "a"`, "src/a.ts", false]
])("the imports of a file name files: %s", (text, path, expected) => {
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
])("the imports of a file name modules of Python: %s", (text, path, expected) => {
  expect(importsOf("tests/test_x.py", text)(path)).toBe(expected)
})

it("ends the search of a text with very many blanks where a module could be named", () => {
  expect(importsOf("a.ts", `import b from${" ".repeat(400_000)}\n`)("b.ts")).toBe(false)
  expect(importsOf("a.ts", 'const b = require ( "./b" )\n')("b.ts")).toBe(true)
})
