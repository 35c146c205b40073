import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
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
      "The old_text occurs 2 times in a.ts, at lines 1, 3:\na.ts:1: x\n2: y\na.ts:3: x\nGive an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
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
      "The old_text does not occur in a.ts. Lines 2 to 3 are nearest; if that is meant, copy from here exactly:\nconst limit = 5\nconst b = 2"
    ],
    [
      "that only blanks inside of lines differ",
      "if (a) {\n  return 1\n}\n",
      [replace("if (a)  {\n  return 1\n}", "x")],
      "The old_text does not occur in a.ts. Lines 1 to 3 are nearest and differ only in blanks; if that is meant, copy from here exactly:\nif (a) {\n  return 1\n}"
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

describe("finding a text that was copied", () => {
  const go = "func f() {\n\tif a {\n\t\tg()\n\t}\n}\n"
  const ts = "class A {\n    f() {\n        return 1\n    }\n}\n"
  const text = 'const s = "a\\nb"\nlog(s)\n'
  const cases: ReadonlyArray<readonly [name: string, text: string, oldText: string, newText: string, after: string]> = [
    ["exactly", "a\nb\n", "b\n", "c\n", "a\nc\n"],
    [
      "exactly, as a whole line rather than as the end of one",
      "max = 1\nx = 1\n",
      "x = 1\n",
      "x = 2\n",
      "max = 1\nx = 2\n"
    ],
    ["exactly, as the end of a line when no whole line fits", "max = 1\n", "x = 1\n", "x = 2\n", "max = 2\n"],
    ["exactly, as the last line without a line end", "a\nb", "b\n", "c\n", "a\nc"],
    ["exactly, to remove a line", "a\nb\nc\n", "b\n", "", "a\nc\n"],
    ["with fewer blanks before it", ts, "f() {\n    return 1\n}", "f() {\n    return 2\n}", ts.replace("1", "2")],
    [
      "with half of the indentation",
      ts,
      "  f() {\n    return 1\n  }\n",
      "  f() {\n    if (a) {\n      b()\n    }\n    return 1\n  }\n",
      "class A {\n    f() {\n        if (a) {\n          b()\n        }\n        return 1\n    }\n}\n"
    ],
    [
      "with more blanks before it",
      "a\n  b\n  c\n",
      "      b\n      c\n",
      "      b\n        d\n      c\n",
      "a\n  b\n    d\n  c\n"
    ],
    [
      "with blanks for tabs",
      go,
      "    if a {\n        g()\n    }\n",
      "    if b {\n        h()\n    }\n",
      go.replace("a {", "b {").replace("g()", "h()")
    ],
    [
      "with blanks for tabs, and a deeper line that is new",
      go,
      "  if a {\n    g()\n  }\n",
      "  if a {\n    if b {\n      g()\n    }\n  }\n",
      "func f() {\n\tif a {\n\t\tif b {\n\t\t\tg()\n\t\t}\n\t}\n}\n"
    ],
    ["with tabs for blanks", ts, "\tf() {\n\t\treturn 1\n\t}\n", "\tf() {\n\t\treturn 2\n\t}\n", ts.replace("1", "2")],
    ["without indentation at all", go, "if a {\ng()\n}\n", "if b {\ng()\n}\n", go.replace("a {", "b {")],
    ["with other blanks at line ends", "a  \nb\nc\n", "a\nb\n", "a\nd\n", "a  \nd\nc\n"],
    ["with a blank line around it", "a\nb\n", "\na\nb\n\n", "\na\nc\n\n", "a\nc\n"],
    ["with other blanks, to remove it", "a\n  b\nc\n", "    b\n", "", "a\nc\n"],
    [
      "with other blanks, in lines of Windows",
      "a\r\n  b\r\n  c\r\n",
      "    b\n    c\n",
      "    d\n    c\n",
      "a\r\n  d\r\n  c\r\n"
    ],
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
    [
      "with a cut line",
      "const long = [1, 2, 3, 4]\nb\n",
      "const long = [1, ...\nb\n",
      "const long = [1, ...\nc\n",
      "const long = [1, 2, 3, 4]\nc\n"
    ],
    [
      "with a cut line whose beginning changes",
      "const long = [1, 2, 3]\n",
      "const long = [1, \u2026\n",
      "let short = [1, \u2026\n",
      "let short = [1, 2, 3]\n"
    ],
    [
      "with a cut line and what is said of its length",
      "const long = [1, 2, 3, 4]\nb\n",
      "const long = [1, ... (25 characters)\nb\n",
      "const long = [1, ... (25 characters)\nc\n",
      "const long = [1, 2, 3, 4]\nc\n"
    ],
    [
      "with a line that a diff cuts in its middle",
      "const long = [1, 2, 3, 4]\nb\n",
      "const long = [1, ... (5 of 25 characters of the line not shown) ... , 4]\nb\n",
      "let tall = [1, ... (5 of 25 characters of the line not shown) ... , 4]\nb\n",
      "let tall = [1, 2, 3, 4]\nb\n"
    ],
    [
      "with a cut line that is written anew",
      "const long = [1, 2, 3]\n",
      "const long = [1...\n",
      "const long = []\n",
      "const long = []\n"
    ]
  ]
  for (const [name, before, oldText, newText, after] of cases) {
    it(`finds it ${name}`, () => {
      assert.strictEqual(edit(before, replace(oldText, newText)), after)
    })
  }

  const absent: ReadonlyArray<readonly [name: string, text: string, oldText: string]> = [
    ["numbers that do not follow each other", "a\nb\n", "1: a\n3: b\n"],
    ["a cut line of which too little is seen", "const a = 1\n", "cons...\n"],
    ["a line that is only dots", "const a = 1\n", "...\n"],
    [
      "a line cut in its middle that ends otherwise",
      "const long = [1, 2, 3, 4]\n",
      "const long = [1, ... (5 of 25 characters of the line not shown) ... , 5]\n"
    ],
    ["blanks inside of a line", "a = 1\n", "a  =  1\n"]
  ]
  for (const [name, before, oldText] of absent) {
    it(`does not find ${name}`, () => {
      assert.include(edit(before, replace(oldText, "x\n")), "The old_text does not occur in a.ts.")
    })
  }

  it("replaces all places that differ in blanks", () => {
    assert.strictEqual(edit("  a\nb\n    a\n", replace("\ta", "\tc", true)), "  c\nb\n    c\n")
  })

  it("names a line that stands for others", () => {
    assert.strictEqual(
      edit("a\nb\nc\n", replace("a\n// ... existing code ...\nc\n", "a\n")),
      'The old_text does not occur in a.ts. The line "// ... existing code ..." stands for others: write them out.'
    )
  })

  it("says that the new text is there already", () => {
    assert.strictEqual(
      edit("a\nconst limit = 10\n", replace("const limit = 5\n", "const limit = 10\n")),
      "The old_text does not occur in a.ts, and the new one is already there, at line 2."
    )
  })

  it("shows every place of an ambiguous text with the lines around it", () => {
    const text = "function a() {\n  x = 0\n  return 1\n}\n\nfunction b() {\n  y = 0\n  return 1\n}\n"
    assert.strictEqual(
      edit(text, replace("  return 1\n", "  return 2\n")),
      [
        "The old_text occurs 2 times in a.ts, at lines 3, 8:",
        "1: function a() {",
        "2:   x = 0",
        "a.ts:3:   return 1",
        "4: }",
        "5:",
        "6: function b() {",
        "7:   y = 0",
        "a.ts:8:   return 1",
        "9: }",
        "Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
      ].join("\n")
    )
  })

  it("shows at most ten places", () => {
    const problem = edit("x = 1\n\n\n\n\n\n".repeat(13), replace("x = 1\n", "y\n"))
    assert.match(problem, /occurs 13 times in a\.ts, at lines (?:\d+, ){9}\d+ and 3 more:/)
    assert.strictEqual(problem.split("x = 1").length - 1, 10)
  })

  it("quotes no place of a text that may not be quoted", () => {
    const made = editText({ path: ".env", text: "A=1\nA=1\n", mayQuote: false }, [replace("A=1\n", "B=1\n")])
    const advice =
      "Give an edit for each place, with a line before or after it that tells the places apart; replace_all changes all of them."
    assert.deepStrictEqual(made, Result.fail(`The old_text occurs 2 times in .env, at lines 1, 2. ${advice}`))
  })

  it("names the line that holds a part of what is looked for", () => {
    const text = "// x\nexport const limit = 5 // the number of attempts that are made\nexport {}\n"
    assert.include(
      edit(text, replace("limit = 5\n", "limit = 6\n")),
      "Line 2 holds a part of it; if that is meant, copy the whole line:\nexport const limit = 5 // the number"
    )
    assert.include(edit(text, replace("limit = 7\n", "limit = 6\n")), "No line is similar.")
  })

  it("prefers the lines that are alike as a whole to the one line that is most alike", () => {
    const text = "  return compute(value)\n}\n\nfunction other(value) {\n  return compute(values)\n}\n"
    assert.include(
      edit(text, replace("function another(value) {\n  return compute(value);\n}\n", "x\n")),
      "Lines 4 to 6 are nearest; if that is meant, copy from here exactly:\nfunction other"
    )
  })
})

describe("several edits of one text", () => {
  it("makes none when one does not fit, and reports that one", () => {
    assert.strictEqual(
      edit("a\nb\nc\nd\n", replace("d\n", "x\ny\n"), replace("nowhere at all\n", "z\n"), replace("a\n", "1\n2\n3\n")),
      "The old_text of edit 2 does not occur in a.ts. No line is similar. Read the file and copy the lines from it."
    )
  })

  it("finds what an earlier one wrote", () => {
    assert.strictEqual(edit("a\nb\n", replace("a\n", "x\ny\n"), replace("y\nb\n", "y\nz\n")), "x\ny\nz\n")
  })

  it("takes no longer for many places than it has to", () => {
    const made = edit("a b\n".repeat(50_000), replace("a", "cc", true), replace("b", "dd", true))
    assert.strictEqual(made, "cc dd\n".repeat(50_000))
  })

  const line = Schema.Literals(["a", "  b()", "", "\tc", "    }", 'd = "x\\ny"', "12: e", "f...", "g  "])
  const drawn = Schema.Struct({
    lines: Schema.Array(line).check(Schema.isMinLength(1), Schema.isMaxLength(12)),
    from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 })),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    ends: Schema.Literals(["\n", "\r\n"])
  })
  it.prop(
    "finds every text that was cut out of a file, or says that it stands there several times",
    { given: Arbitrary.schema(drawn) },
    ({ given }) => {
      const { ends, from, length, lines } = given
      const at = from % lines.length
      const cut = lines.slice(at, at + length)
      const joined = (parts: ReadonlyArray<string>) => parts.map((part) => part + ends).join("")
      const made = edit(joined(lines), replace(`${cut.join("\n")}\n`, "new\n"))
      if (made.startsWith("The old_text")) assert.include(made, "times in a.ts")
      else assert.strictEqual(made, joined([...lines.slice(0, at), "new", ...lines.slice(at + length)]))
    }
  )
})
