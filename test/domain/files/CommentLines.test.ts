import { describe, expect, it } from "@effect/vitest"
import { commentLines, longComments } from "../../../src/domain/files/CommentLines.ts"

const linesOf = (text: string, language: string) => [...commentLines(text.split("\n"), language)]

it.each([
  ["// a\nx()\n  // b", "typescript", [0, 2]],
  ["/* a\n b\n*/\nx()", "typescript", [0, 1, 2]],
  ["/* a */\nx()", "typescript", [0]],
  ["/** a\n b */ x()\ny()", "c", [0, 1]],
  ["# a\nx()", "python", [0]],
  ['"""A text.\n\nMore."""\nx()', "python", [0, 1, 2]],
  ['"""A text."""\nx()', "python", [0]],
  ["r'''a\nb'''\nx()", "python", [0, 1]],
  ["=begin\na\n=end\nx", "ruby", [0, 1, 2]],
  ["-- a\nx", "lua", [0]],
  [";; a\nx", "lisp", [0]],
  ["#include <a.h>\n#define A 1\n#![feature]\n#[test]", "c", []],
  ["# A title\nx", "markdown", []],
  ["# a\nx", "", []]
])("lines of comments of %j in %s are %j", (text, language, lines) => {
  expect(linesOf(text, language)).toEqual(lines)
})

describe("long comments", () => {
  const lines = ["// a", "", "// b", "x()", "// c", "y()", "", "// d", "// e", ""]

  it("are those of three lines, blank ones between them included", () => {
    expect([...longComments(lines, commentLines(lines, "typescript"))]).toEqual([0, 1, 2, 7, 8, 9])
  })
})
