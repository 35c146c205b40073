import { describe, expect, it } from "@effect/vitest"
import {
  numbersText,
  type NumberedPlace,
  placeParts,
  placesBlock,
  placesText
} from "../../../src/domain/documents/Places.ts"
import { itemsOf } from "../../../src/domain/documents/TaskItems.ts"
import type { ForEach } from "../../../src/domain/plan/ForEach.ts"

const over = (kind: ForEach["kind"], containing: string): ForEach => ({
  kind,
  containing,
  source: { kind: "glob", pattern: "**" }
})

const placesIn = (forEach: ForEach, files: Readonly<Record<string, string>>): ReadonlyArray<NumberedPlace> =>
  itemsOf(
    forEach,
    Object.entries(files).map(([path, text]) => ({ path, text }))
  ).flatMap(({ place, text }, index) => (place === undefined ? [] : [{ ...place, number: index + 1, of: 9, text }]))

describe("calls of a function", () => {
  const calls: ReadonlyArray<readonly [line: string, name: string, isCall: boolean]> = [
    ["x = open(path)", "open", true],
    ["  open (path)", "open", true],
    ["Popen(1); reopen(2); _open(3)", "open", false],
    ["file.open(path)", "open", false],
    ["std::open(path)", "open", false],
    ["io.open(path)", "io.open", true],
    ["audio.open(path)", "io.open", false],
    ["def open(path):", "open", false],
    ["function open(path) {", "open", false],
    ["# open(path) is slow", "open", false],
    ["$open(path)", "open", false],
    ["opened(path)", "open", false],
    ["def f(): return open(1)", "open", true]
  ]
  for (const [line, name, isCall] of calls) {
    it(`${isCall ? "holds" : "does not hold"} ${line} for ${name}`, () => {
      expect(placesIn(over("call", name), { "a.py": line }).length).toBe(isCall ? 1 : 0)
    })
  }
})

it("shows a call to its end, and says what the name stands for in its file", () => {
  const text = "from tar import open\n\nx = open(\n    1,\n    mode(2)\n)\ny = 1\n"
  const [place, ...others] = placesIn(over("call", "open"), { "a.py": text })
  expect(others).toEqual([])
  expect(place?.lines.at(-1)).toBe(")")
  expect(placesText(place === undefined ? [] : [place])).toContain(
    "a.py\n\nIn this file, open(...) calls what line 1 names: from tar import open\n\n```python\n"
  )
  const own = (line: string) => placesIn(over("call", "open"), { "a.py": `${line}\nopen(1)\n` })[0]?.meaning
  expect(own("open = gzip.open")).toMatch(/line 1 .*: open = gzip.open$/)
  expect(own("def open(path):")).toMatch(/line 1 .*: def open\(path\):$/)
  // A bare name calls no method of Python or Go, and one of Java.
  expect(own("class Tar:\n    def open(self, path):\n        return path")).toBeUndefined()
  const call = (path: string, text: string) => placesIn(over("call", "open"), { [path]: text })[0]?.meaning
  expect(call("a.go", "func (t *Tar) open(path string) {\n}\n\nvar x = open(1)\n")).toBeUndefined()
  expect(call("A.java", "class A {\n  void open(int x) {\n  }\n  int x = open(1);\n}\n")).toMatch(
    /line 2 .*: void open/
  )
  expect([own("x = open == 1"), own("# open = 1"), own("reopen = 1")]).toEqual([undefined, undefined, undefined])
})

it("says which of all places are shown", () => {
  const places = placesIn(over("call", "open"), { "a.py": "open(1)\n\nopen(2)\n" })
  expect(placesBlock(places)).toMatch(/^## Places 1-2 of 9\n\na\.py\n/)
})

describe("lines that contain a keyword", () => {
  const text = [
    "def a():",
    '    """May raise an error."""',
    "    try:",
    "        b()",
    "    except OSError as error:",
    "        if c:",
    "            d()",
    "            e()",
    "            raise F(",
    "                1,",
    "                g(2),",
    "                3)",
    "    response.raise_for_status()",
    "    # raise it"
  ].join("\n")
  const [place, ...others] = placesIn(over("line", "raise"), { "a.py": text })

  it("are the statements of a program, and in other texts all lines with it", () => {
    expect(others).toEqual([])
    expect(place?.line).toBe(9)
    expect(placesIn(over("line", "raise"), { "a.md": text }).length).toBe(4)
    expect(placesIn(over("line", "raise "), { "a.py": text }).length).toBe(3)
  })

  it("are shown below the lines that begin their blocks, and to the end of the call", () => {
    expect(
      placesText(place === undefined ? [] : [place])
        .split("\n")
        .slice(3, -1)
    ).toEqual([
      "in a:",
      "5:     except OSError as error:",
      "6:         if c:",
      "7:             d()",
      "8:             e()",
      "[1] 9:             raise F(",
      "10:                 1,",
      "11:                 g(2),",
      "12:                 3)"
    ])
  })
})

it("shows a handler further out than the two blocks around a place", () => {
  const text = [
    "def a():",
    "    if b:",
    "        try:",
    "            c()",
    "        except OSError:",
    "            with d:",
    "                for e in f:",
    "                    if g:",
    "                        raise E"
  ].join("\n")
  const [place] = placesIn(over("line", "raise"), { "a.py": text })
  expect(place?.heads?.map(({ line }) => line)).toEqual([5])
})

describe("placesText", () => {
  it("shows places that are near each other as one text, by file and by declaration", () => {
    const files = {
      "a.py": "def a():\n    x(1)\n    x(2)\n\n\n\n\n\n    x(3)\n\ndef b():\n    x(4)\n",
      "b.txt": "x(5)\n"
    }
    expect(placesText(placesIn(over("line", "x("), files))).toBe(
      [
        "a.py",
        "",
        "```python",
        "in a:",
        "1: def a():",
        "[1] 2:     x(1)",
        "[2] 3:     x(2)",
        "",
        "in a:",
        "[3] 9:     x(3)",
        "10:",
        "11: def b():",
        "",
        "in b:",
        "11: def b():",
        "[4] 12:     x(4)",
        "```",
        "",
        "b.txt",
        "",
        "```text",
        "[5] 1: x(5)",
        "```"
      ].join("\n")
    )
  })
})

describe("placeParts", () => {
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`f${at}.txt`, Array.from({ length: 6 }, () => "x").join("\n")])
  )
  const places = placesIn(over("line", "x"), files)

  it("keeps all places, in their order, within the budget, and files whole where they fit", () => {
    for (const budget of [100, 200, 400, 10_000]) {
      const parts = placeParts(places, budget)
      expect(parts.flat()).toEqual(places)
      for (const part of parts) expect(part.length === 1 || placesText(part).length <= budget).toBe(true)
    }
    const cut = placeParts(places, 400).filter((part) => part.at(-1)?.line !== 6)
    expect(cut).toEqual([])
  })

  it("asks about no more than sixty at once", () => {
    const twice = [...places, ...places.map((place) => ({ ...place, path: `more/${place.path}` }))]
    expect(placeParts(twice, 1_000_000).map(({ length }) => length)).toEqual([60, 48])
  })

  it("begins a file that has to be divided in the part before", () => {
    const long = placesIn(over("line", "x"), { "a.txt": "x\n", "b.txt": "x\n\n\n\n\n\n".repeat(70) })
    expect(placeParts(long, 1_000_000).map(({ length }) => length)).toEqual([60, 11])
  })

  it("shows a place that does not fit by itself", () => {
    expect(placeParts(places.slice(0, 3), 1).map(({ length }) => length)).toEqual([1, 1, 1])
  })
})

it("writes numbers as ranges", () => {
  expect(numbersText([])).toBe("")
  expect(numbersText([5, 1, 2, 3, 9, 8])).toBe("1-3, 5, 8-9")
})
