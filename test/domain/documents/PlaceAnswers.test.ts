import { describe, expect, it } from "@effect/vitest"
import { type PlaceAnswer, readPlaceAnswers, withAnswers } from "../../../src/domain/documents/PlaceAnswers.ts"
import { type NumberedPlace, unnumberedLines } from "../../../src/domain/documents/Places.ts"

const text = "def a():\n    x(1)\n\ndef b():\n    x(2)\n    y()\n    x(3)\n"

const placeAt = (text: string, line: number, number: number): NumberedPlace => ({
  number,
  of: 9,
  text: "",
  path: "a.py",
  line,
  within: "",
  first: line,
  lines: [text.split("\n")[line - 1] ?? ""]
})
const places = [2, 5, 7].map((line, index) => placeAt(text, line, index + 1))

const read = (...lines: ReadonlyArray<string>) => readPlaceAnswers(lines.join("\n"), places)
const change = (...lines: ReadonlyArray<string>): PlaceAnswer => ({ _tag: "Change", lines })
const fence = (...lines: ReadonlyArray<string>) => ["1 change:", "", "```python", ...lines, "```", "2 keep: no"]
const keep = (words: string): PlaceAnswer => ({ _tag: "Keep", text: words })

describe("readPlaceAnswers", () => {
  it.each<readonly [line: string, answer: PlaceAnswer]>([
    ["1 keep: it is binary", keep("it is binary")],
    ["[1] keep it is binary", keep("it is binary")],
    ["- **1** **keep**: it is binary", keep("it is binary")],
    ["1: KEEP — it is binary", keep("it is binary")],
    ["1 keep", keep("")],
    ["1 note: a text", { _tag: "Note", text: "a text" }],
    ["1 look: what is x?", { _tag: "Look" }],
    ["1 remove", change()],
    ["1 change: x(9)", change("    x(9)")],
    ["1 change:     x(9)", change("    x(9)")],
    ["1 change: `x(9)`", change("    x(9)")],
    ["1 change: `a` + `b`", change("    `a` + `b`")],
    ["1 change", { _tag: "Change", lines: undefined }]
  ])("reads %s", (line, answer) => {
    expect(read(line)).toMatchObject({ answers: new Map([[1, answer]]), rest: "" })
  })

  it("reads several numbers, and no text that only begins with a number", () => {
    expect([...read("1-2, 3 keep: no").answers.keys()]).toEqual([1, 2, 3])
    expect([...read("1 and 3 keep: no").answers.keys()]).toEqual([1, 3])
    const prose = ["2 files keep it", "1: x(1)", "I keep 3", "1 keeps it"]
    expect(read(...prose)).toEqual({ answers: new Map(), issues: [], rest: prose.join("\n") })
  })

  it("puts the lines of a fence as deep as the line, unless they are deep already", () => {
    const deep = change("    log()", "", "      x(9)")
    expect(read(...fence("log()", "", "  x(9)")).answers.get(1)).toEqual(deep)
    expect(read(...fence("  log()", "x(9)")).answers.get(1)).toEqual(change("  log()", "x(9)"))
    const onLine = ["1 change: ```python", "a()", "b()", "```", "2 keep: no"]
    expect(read(...onLine).answers.get(1)).toEqual(change("    a()", "    b()"))
    expect(read(...onLine).answers.get(2)).toEqual(keep("no"))
  })

  it("makes one replacement at all places but some", () => {
    const { answers, issues } = read('{"places": "all", "replace": "x(", "with": "z(", "except": [2]}', "2 keep: no")
    expect(Object.fromEntries(answers)).toEqual({ 1: change("    z(1)"), 3: change("    z(3)"), 2: keep("no") })
    expect(issues).toEqual([])
    const rule = '{"places": [1], "replace": "x(", "with": "z("}'
    expect(read("```json", rule, "```", "2 keep: no").answers.get(1)).toEqual(change("    z(1)"))
    const wrong = read(rule.replace("x(", "y("))
    expect(wrong.issues.map(({ what }) => what)).toEqual(['Place 1 does not hold "y(".'])
  })

  it("takes the answer to a number before a replacement, in whatever order they come", () => {
    const rule = '{"places": "all", "replace": "x(", "with": "z("}'
    const orders = [read(rule, "2 keep: no"), read("2 keep: no", rule)]
    expect(orders.map(({ answers }) => answers.get(2))).toEqual([keep("no"), keep("no")])
  })

  it("names numbers that are not there, and takes the others", () => {
    const { answers, issues } = read("2-5 keep: no")
    expect([...answers.keys()]).toEqual([2, 3])
    expect(issues.map(({ how, what }) => [what, how])).toEqual([["There is no place 4-5 here.", "The places are 1-3."]])
  })

  it("reads the change of a line that is shown without a number", () => {
    const [first] = places
    const heads = [{ line: 1, text: "def a():" }]
    const shown = first === undefined ? [] : [{ ...first, heads, lines: [...first.lines, ""] }]
    const readShown = (...lines: ReadonlyArray<string>) => readPlaceAnswers(lines.join("\n"), shown)
    const { answers, issues } = readShown("1 keep: no", "- `a.py:1` change: def a(x):")
    expect(issues).toEqual([])
    const lines = [...shown, ...unnumberedLines(shown)].filter(({ number }) => answers.has(number))
    expect(withAnswers(text, lines, answers)).toBe(text.replace("def a()", "def a(x)"))
    expect([...readShown("a.py:2 remove: gone").answers]).toEqual([[1, change()]])
    const wrong = readShown("a.py:4 change: def c():", "a.py:1 change:", "a.py:1 keep: no")
    expect(wrong.answers.size).toBe(0)
    expect(wrong.issues.map(({ what }) => what)).toEqual([
      "a.py:4 is not shown here.",
      "No text says how a.py:1 changes."
    ])
  })

  it("leaves blocks and calls to other readers", () => {
    const block = ["a.py", "<<<<<<< OLD", "    y()", "=======", "    z()", ">>>>>>> NEW"]
    expect(read("1 keep: no", ...block).rest).toBe(block.join("\n"))
    const list = ["a.md", "<<<<<<< OLD", "1. keep it", "=======", "1. Keep the lid on", "2 remove", ">>>>>>> NEW"]
    expect(read(...list, "3 keep: no")).toEqual({
      answers: new Map([[3, keep("no")]]),
      issues: [],
      rest: list.join("\n")
    })
    const file = ["new.md", "```markdown", "1 keep: this", "```"]
    expect([...read(...file, "2 keep: no").answers.keys()]).toEqual([2])
  })
})

it("withAnswers replaces and removes lines, with the line ends of the file", () => {
  const answers = new Map([
    [1, change("    a()", "    b()")],
    [2, change()],
    [3, keep("no")]
  ])
  const after = "def a():\n    a()\n    b()\n\ndef b():\n    y()\n    x(3)\n"
  expect(withAnswers(text, places, answers)).toBe(after)
  expect(withAnswers(text.replaceAll("\n", "\r\n"), places, answers)).toBe(after.replaceAll("\n", "\r\n"))
})
it("withAnswers takes a text that closes the parentheses of its line for the whole call", () => {
  const call = "def a():\n    raise E('(%s' %\n            (a,\n             b))\n    x(1)\n"
  const at = (line: number, number: number) => placeAt(call, line, number)
  const whole = change("    raise E('(%s' % (a, b)) from exc")
  const changed = (...answers: ReadonlyArray<readonly [NumberedPlace, PlaceAnswer]>) => {
    const byNumber = new Map(answers.map(([{ number }, answer]) => [number, answer]))
    return withAnswers(
      call,
      answers.map(([place]) => place),
      byNumber
    )
  }
  expect(changed([at(2, 1), whole])).toBe("def a():\n    raise E('(%s' % (a, b)) from exc\n    x(1)\n")
  expect(changed([at(2, 1), change()])).toBe("def a():\n    x(1)\n")
  expect(changed([at(2, 1), change("    raise F('(%s' %")])).toBe(call.replace("raise E", "raise F"))
  expect(changed([at(2, 1), whole], [at(4, 2), keep("no")])).toContain("from exc\n            (a,\n")
})
