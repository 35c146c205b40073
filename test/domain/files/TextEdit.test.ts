import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { editText, type TextEdit } from "../../../src/domain/files/TextEdit.ts"

const edit = (text: string, ...edits: ReadonlyArray<TextEdit>) =>
  Result.merge(editText({ path: "a.ts", text, mayQuote: true }, edits))
const replace = (oldText: string, newText: string, replaceAll = false): TextEdit => ({ oldText, newText, replaceAll })

/** What is said where a text is found in several places or in none. */
const apart =
  "Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
const absent = "The old_text does not occur in a.ts."
const nothing = "No line is similar. Read the file and copy the lines from it."
const same = "are the same, so nothing would change."

/** A long text of numbers, with a line like code in it. */
const textWith = (line: number) =>
  Array.from({ length: 25_000 }, (_, index) => (index + 1 === line ? "const value = compute(1)" : `${index}`)).join(
    "\n"
  )

describe("editing a text", () => {
  it.each<[name: string, text: string, edits: Array<TextEdit>, after: string]>([
    ["once, and keeps the missing line end at the end", "a\nb\nc", [replace("b", "x\ny")], "a\nx\ny\nc"],
    ["a line by nothing", "a\nb\n", [replace("b\n", "")], "a\n"],
    ["by a dollar sign as it is", "a b", [replace("b", "$&$1$$")], "a $&$1$$"],
    ["in the text as it was, in any order", "one two", [replace("two", "one"), replace("one", "two")], "two one"],
    ["in all places when that is said", "a.a.aa", [replace("a", "bb", true)], "bb.bb.bbbb"],
    ["in all places that do not overlap", "aaa", [replace("aa", "b", true)], "ba"],
    ["with CRLF", "a\r\nb\r\nc\r\n", [replace("a\nb\n", "x\ny\nz\n")], "x\r\ny\r\nz\r\nc\r\n"],
    ["with CRLF, for one line", "a\r\nb\r\n", [replace("a", "x\ny")], "x\r\ny\r\nb\r\n"],
    ["with LF, when the edit has CRLF", "a\nb\nc\n", [replace("a\r\nb", "x\r\ny")], "x\ny\nc\n"],
    ["with CRLF, where only the place has it", "a\nb\r\nc\r\n", [replace("b\nc", "x\ny")], "a\nx\r\ny\r\n"],
    ["with LF, where only the place has it", "a\nb\nc\r\n", [replace("a\nb", "x\ny")], "x\ny\nc\r\n"],
    ["beside lone carriage returns", "a\rb\nc\n", [replace("c", "x")], "a\rb\nx\n"],
    ["what an earlier edit wrote", "a\nb\n", [replace("a\n", "x\ny\n"), replace("y\nb\n", "y\nz\n")], "x\ny\nz\n"],
    ["in places that differ in blanks", "  a\nb\n    a\n", [replace("\ta", "\tc", true)], "  c\nb\n    c\n"]
  ])("replaces %s", (_, text, edits, after) => assert.strictEqual(edit(text, ...edits), after))

  const limits = "const a = 1\nconst limit = 5\nconst b = 2\n"
  const condition = "if (a) {\n  return 1\n}"
  const twoFunctions = "function a() {\n  x = 0\n  return 1\n}\n\nfunction b() {\n  y = 0\n  return 1\n}\n"
  const numbered = `1: function a() {
2:   x = 0
a.ts:3:   return 1
4: }
5:
6: function b() {
7:   y = 0
a.ts:8:   return 1
9: }`
  const twice = "The old_text occurs 2 times in a.ts, at lines"
  const exactly = "if that is meant, copy from here exactly"
  const nearest = (lines: string, how: string, text: string) =>
    `${absent} Lines ${lines} are nearest${how}; ${exactly}:\n${text}`
  const first = `The old_text of edit 1 and its new_text ${same}`
  const second = `${absent.replace("text", "text of edit 2")} ${nothing}`
  const clash = "The edits 1 and 2 change the same text at line 1. Put them into one edit."
  const [near, wide] = ["const limits = 5\nconst b = 3", condition.replace(") ", ")  ")]
  const omission = "// ... existing code ..."
  const isThere = `${absent.slice(0, -1)}, and the new one is already there, at line 2.`
  it.each<[name: string, text: string, edits: Array<TextEdit>, problem: string]>([
    ["several places", twoFunctions, [replace("  return 1\n", "")], `${twice} 3, 8:\n${numbered}\n${apart}`],
    ["places that overlap", "aaa", [replace("aa", "b")], `${twice} 1, 1:\na.ts:1: aaa\n${apart}`],
    ["the nearest lines", limits, [replace(near, "x")], nearest("2 to 3", "", "const limit = 5\nconst b = 2")],
    ["blanks alone", condition, [replace(wide, "x")], nearest("1 to 3", " and differ only in blanks", condition)],
    ["that nothing is like it", "one\ntwo\n", [replace("something else entirely", "x")], `${absent} ${nothing}`],
    ["that nothing would change", "a", [replace("a", "a")], `The old_text and its new_text ${same}`],
    ["an empty old text", "a", [replace("", "b")], "The old_text is empty. Give the lines that are replaced."],
    ["half a character", "a", [replace("a", "\ud800")], "The new_text for the old_text holds half a character."],
    ["edits that overlap", "one two three", [replace("two three", "x"), replace("one two", "y")], clash],
    ["all problems at once", "one\n", [replace("one", "one"), replace("zzz", "y")], `${first}\n${second}`],
    ["the one edit that does not fit", "a\nb\n", [replace("b\n", "x\n"), replace("nowhere at all\n", "z\n")], second],
    [
      "that a line stands for others",
      "a\nb\nc\n",
      [replace(`a\n${omission}\nc\n`, "a\n")],
      `${absent} The line "${omission}" stands for others: write them out.`
    ],
    ["that the new text is there", limits, [replace("const limit = 6\n", "const limit = 5\n")], isThere]
  ])("says %s", (_, text, edits, problem) => assert.strictEqual(edit(text, ...edits), problem))

  it.each([
    ["A=1\n", "The old_text occurs 2 times in .env, at lines 1, 2. " + apart],
    ["A=22\n", absent.replace("a.ts", ".env")]
  ])("quotes nothing of a text that may not be quoted: %j", (oldText, problem) => {
    const outcome = editText({ path: ".env", text: "A=1\nA=1\n", mayQuote: false }, [replace(oldText, "B=1\n")])
    assert.deepStrictEqual(outcome, Result.fail(problem))
  })

  const attempts = "// x\nexport const limit = 5 // the number of attempts that are made\nexport {}\n"
  const calls = "  return compute(value)\n}\n\nfunction other(value) {\n  return compute(values)\n}\n"
  const whole = "function another(value) {\n  return compute(value);\n}\n"
  it.each([
    ["in the first 20,000 lines", textWith(20_000), "const value = compute(2)", "Line 20000 is nearest"],
    ["not below them", textWith(20_001), "const value = compute(2)", "No line is similar."],
    ["by a part of it", attempts, "limit = 5\n", "Line 2 holds a part of it; if that is meant, copy the whole line:"],
    ["by no part that differs", attempts, "limit = 7\n", "No line is similar."],
    ["as a whole rather than by one line", calls, whole, `Lines 4 to 6 are nearest; ${exactly}:\nfunction other`]
  ])("names the nearest lines: %s", (_, text, oldText, problem) => {
    assert.include(edit(text, replace(oldText, "limit = 6\n")), problem)
  })

  it("shows at most ten places", () => {
    const problem = edit("x = 1\n\n\n\n\n\n".repeat(13), replace("x = 1\n", "y\n"))
    assert.match(problem, /occurs 13 times in a\.ts, at lines (?:\d+, ){9}\d+ and 3 more:/)
    assert.strictEqual(problem.split("x = 1").length - 1, 10)
  })
})

describe("finding a text that was copied", () => {
  const go = "func f() {\n\tif a {\n\t\tg()\n\t}\n}\n"
  const ts = "class A {\n    f() {\n        return 1\n    }\n}\n"
  const text = 'const s = "a\\nb"\nlog(s)\n'
  const list = "list = [1, 2, 3, 4]\n"
  const cut = "list = [1, ... (19 characters)"
  const cutList = "list = [1, ... (5 of 19 characters of the line not shown) ... , 4]"
  const deeper = "func f() {\n\tif a {\n\t\tif b {\n\t\t\tg()\n\t\t}\n\t}\n}\n"
  const half = "  f() {\n    if (a) {\n      b()\n    }\n    return 1\n  }\n"
  const halved = ts.replace("        return", "        if (a) {\n          b()\n        }\n        return")
  it.each<[name: string, text: string, oldText: string, newText: string, after: string]>([
    ["exactly", "a\nb\n", "b\n", "c\n", "a\nc\n"],
    ["as a whole line rather than as the end of one", "max = 1\nx = 1\n", "x = 1\n", "x = 2\n", "max = 1\nx = 2\n"],
    ["as the end of a line when no whole line fits", "max = 1\n", "x = 1\n", "x = 2\n", "max = 2\n"],
    ["as the last line without a line end", "a\nb", "b\n", "c\n", "a\nc"],
    ["exactly, to remove a line", "a\nb\nc\n", "b\n", "", "a\nc\n"],
    ["with fewer blanks before it", ts, "f() {\n    return 1\n}", "f() {\n    return 2\n}", ts.replace("1", "2")],
    ["with half of the indentation", ts, "  f() {\n    return 1\n  }\n", half, halved],
    ["with more blanks before it", "a\n  b\n", "      b\n", "      b\n        d\n", "a\n  b\n    d\n"],
    [
      "with blanks for tabs, and a deeper line that is new",
      go,
      "  if a {\n    g()\n  }\n",
      "  if a {\n    if b {\n      g()\n    }\n  }\n",
      deeper
    ],
    ["with tabs for blanks", ts, "\tf() {\n\t\treturn 1\n\t}\n", "\tf() {\n\t\treturn 2\n\t}\n", ts.replace("1", "2")],
    ["without indentation at all", go, "if a {\ng()\n}\n", "if b {\ng()\n}\n", go.replace("a {", "b {")],
    ["with other blanks at line ends", "a  \nb\nc\n", "a\nb\n", "a\nd\n", "a  \nd\nc\n"],
    ["with a blank line around it", "a\nb\n", "\na\nb\n\n", "\na\nc\n\n", "a\nc\n"],
    ["with other blanks, to remove it", "a\n  b\nc\n", "    b\n", "", "a\nc\n"],
    ["with other blanks, in lines of Windows", "a\r\n  b\r\n", "    b\n", "    d\n", "a\r\n  d\r\n"],
    ["with a line break for an escaped one", text, 's = "a\nb"', 's = "c\nd"', text.replace("a\\nb", "c\\nd")],
    ["with escaped line breaks", "a {\n  b\n}\n", "a {\\n  b\\n}", "a {\\n  c\\n}", "a {\n  c\n}\n"],
    [
      "with one of its line breaks exchanged",
      text,
      'const s = "a\nb"\nlog(s)\n',
      'const s = "c\nd"\nlog(t)\n',
      'const s = "c\\nd"\nlog(t)\n'
    ],
    ["with the escapes of JSON", 'a("b")\n\tc\n', 'a(\\"b\\")\\n\\tc', 'a(\\"d\\")\\n\\tc', 'a("d")\n\tc\n'],
    ["with numbers and colons", "a\nb\n  c\n", "2: b\n3:   c\n", "2: d\n3:   c\n", "a\nd\n  c\n"],
    ["with numbers and a blank line", "a\n\nc\n", "1: a\n2:\n3: c\n", "1: a\n3: c\n", "a\nc\n"],
    ["with numbers and bars", "a\n  b\n", "1|a\n2|  b\n", "1|a\n2|  c\n", "a\n  c\n"],
    ["with numbers and tabs", "x\n\tb\n", "     1\tx\n     2\t\tb\n", "     1\ty\n     2\t\tb\n", "y\n\tb\n"],
    ["with the paths of a search", "a\nb\n", "a.ts-1- a\na.ts:2: b\n", "a.ts-1- a\na.ts:2: c\n", "a\nc\n"],
    ["with numbers, for a new text that has none", "a\nb\n", "1: a\n2: b\n", "a\nc\n", "a\nc\n"],
    ["with numbers and other blanks", "a\n    b\n", "2: b\n", "2: c\n", "a\n    c\n"],
    ["with a cut line", `${list}b\n`, "list = [1, ...\nb\n", "list = [1, ...\nc\n", `${list}c\n`],
    ["with a cut line that begins anew", list, "list = [1, \u2026\n", "row = [1, \u2026\n", "row = [1, 2, 3, 4]\n"],
    ["with a cut line and its length", list, `${cut}\n`, `${cut.replace("list", "row")}\n`, "row = [1, 2, 3, 4]\n"],
    ["with a cut middle", list, `${cutList}\n`, `${cutList.replace("list", "row")}\n`, "row = [1, 2, 3, 4]\n"],
    ["with a cut line that is written anew", list, "list = [1...\n", "list = []\n", "list = []\n"]
  ])("finds it %s", (_, before, oldText, newText, after) => {
    assert.strictEqual(edit(before, replace(oldText, newText)), after)
  })

  it.each([
    ["numbers that do not follow each other", "a\nb\n", "1: a\n3: b\n"],
    ["a cut line of which too little is seen", "const a = 1\n", "cons...\n"],
    ["a line that is only dots", "const a = 1\n", "...\n"],
    ["a line cut in its middle that ends otherwise", list, `${cutList.replace("4]", "5]")}\n`],
    ["blanks inside of a line", "a = 1\n", "a  =  1\n"]
  ])("does not find %s", (_, before, oldText) => assert.include(edit(before, replace(oldText, "x\n")), absent))
})

it("takes no longer for many places than it has to", () => {
  const made = edit("a b\n".repeat(50_000), replace("a", "cc", true), replace("b", "dd", true))
  assert.strictEqual(made, "cc dd\n".repeat(50_000))
})
