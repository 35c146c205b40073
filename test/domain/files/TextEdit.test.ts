import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { editText, type TextEdit } from "../../../src/domain/files/TextEdit.ts"

const edit = (text: string, ...edits: ReadonlyArray<TextEdit>) =>
  Result.merge(editText({ path: "a.ts", text, mayQuote: true }, edits))
const replace = (oldText: string, newText: string, replaceAll?: boolean): TextEdit => ({
  oldText,
  newText,
  ...(replaceAll === undefined ? {} : { replaceAll })
})

/** A long text of numbers, with a line like code in it. */
const textWith = (line: number) =>
  Array.from({ length: 25_000 }, (_, index) => (index + 1 === line ? "const value = compute(1)" : `${index}`)).join(
    "\n"
  )

describe("editing a text", () => {
  it("replaces what occurs once and keeps everything else, the missing line end at the end too", () => {
    assert.strictEqual(edit("a\nb\nc", replace("b", "x\ny")), "a\nx\ny\nc")
    assert.strictEqual(edit("a\nb\n", replace("b\n", "")), "a\n")
  })

  it("takes a dollar sign as it is", () => {
    assert.strictEqual(edit("a b", replace("b", "$&$1$$")), "a $&$1$$")
  })

  it("looks for every edit in the text as it was, in any order", () => {
    assert.strictEqual(edit("one two", replace("two", "one"), replace("one", "two")), "two one")
  })

  it("replaces all places when that is said", () => {
    assert.strictEqual(edit("a.a.aa", replace("a", "bb", true)), "bb.bb.bbbb")
    assert.strictEqual(edit("aaa", replace("aa", "b", true)), "ba")
  })

  const lineEnds: ReadonlyArray<[name: string, text: string, edit: TextEdit, after: string]> = [
    ["CRLF", "a\r\nb\r\nc\r\n", replace("a\nb\n", "x\ny\nz\n"), "x\r\ny\r\nz\r\nc\r\n"],
    ["CRLF, for one line", "a\r\nb\r\n", replace("a", "x\ny"), "x\r\ny\r\nb\r\n"],
    ["LF, when the edit has CRLF", "a\nb\nc\n", replace("a\r\nb", "x\r\ny"), "x\ny\nc\n"],
    ["both, where the place has CRLF", "a\nb\r\nc\r\n", replace("b\nc", "x\ny"), "a\nx\r\ny\r\n"],
    ["both, where the place has LF", "a\nb\nc\r\n", replace("a\nb", "x\ny"), "x\ny\nc\r\n"],
    ["lone carriage returns", "a\rb\nc\n", replace("c", "x"), "a\rb\nx\n"]
  ]
  for (const [name, text, change, after] of lineEnds) {
    it(`keeps line ends: ${name}`, () => assert.strictEqual(edit(text, change), after))
  }

  const problems: ReadonlyArray<[name: string, text: string, edits: ReadonlyArray<TextEdit>, problem: string]> = [
    [
      "the places when there are several",
      "x\ny\nx\n",
      [replace("x", "z")],
      "The old_text occurs 2 times in a.ts, at lines 1, 3:\na.ts:1: x\na.ts-2- y\na.ts:3: x\nGive an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
    ],
    [
      "places that overlap",
      "aaa",
      [replace("aa", "b")],
      "The old_text occurs 2 times in a.ts, at lines 1, 1:\na.ts:1: aaa\nGive an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
    ],
    [
      "the nearest lines with their numbers",
      "const a = 1\nconst limit = 5\nconst b = 2\n",
      [replace("const limits = 5\nconst b = 3", "x")],
      "The old_text does not occur in a.ts. Lines 2 to 3 are nearest; if they are meant, copy from here exactly:\nconst limit = 5\nconst b = 2"
    ],
    [
      "that only blanks inside of lines differ",
      "if (a) {\n  return 1\n}\n",
      [replace("if (a)  {\n  return 1\n}", "x")],
      "The old_text does not occur in a.ts. Lines 1 to 3 are nearest and differ only in blanks; if they are meant, copy from here exactly:\nif (a) {\n  return 1\n}"
    ],
    [
      "that nothing is like it",
      "one\ntwo\n",
      [replace("something else entirely", "x")],
      "The old_text does not occur in a.ts. No line is similar. Read the file and copy the lines from it."
    ],
    [
      "that nothing would change",
      "a",
      [replace("a", "a")],
      "The old_text and its new_text are the same, so nothing would change."
    ],
    ["an empty old text", "a", [replace("", "b")], "The old_text is empty. Give the lines that are replaced."],
    ["half a character", "a", [replace("a", "\ud800")], "The new_text for the old_text holds half a character."],
    [
      "edits that overlap",
      "one two three",
      [replace("two three", "x"), replace("one two", "y")],
      "The edits 1 and 2 change the same text at line 1. Put them into one edit."
    ],
    [
      "all problems at once",
      "one\n",
      [replace("one", "one"), replace("zzz", "y")],
      "The old_text of edit 1 and its new_text are the same, so nothing would change.\nThe old_text of edit 2 does not occur in a.ts. No line is similar. Read the file and copy the lines from it."
    ]
  ]
  for (const [name, text, edits, problem] of problems) {
    it(`says ${name}`, () => assert.strictEqual(edit(text, ...edits), problem))
  }

  it("quotes nothing of a text that may not be quoted", () => {
    const outcome = editText({ path: ".env", text: "SECRET=abcdef\n", mayQuote: false }, [replace("SECRET=abcdeg", "")])
    assert.deepStrictEqual(outcome, Result.fail("The old_text does not occur in .env."))
  })

  it("looks for the nearest lines of a large text in its first 20,000 lines", () => {
    const sought = replace("const value = compute(2)", "y")
    assert.include(edit(textWith(20_000), sought), "Line 20000 is nearest")
    assert.include(edit(textWith(20_001), sought), "No line is similar.")
  })
})
