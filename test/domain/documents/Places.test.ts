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

it.each([
  ["x = open(path)", "open", 1],
  ["  open (path)", "open", 1],
  ["Popen(1); reopen(2); _open(3)", "open", 0],
  ["std::open(path)", "open", 0],
  ["io.open(path)", "io.open", 1],
  ["audio.open(path)", "io.open", 0],
  ["def open(path):", "open", 0],
  ["function open(path) {", "open", 0],
  ["# open(path) is slow", "open", 0],
  ["def f(): return open(1)", "open", 1]
])("%s has so many calls of %s: %i", (line, name, count) => {
  expect(placesIn(over("call", name), { "a.py": line }).length).toBe(count)
})

it("shows a call to its end, and says what the name stands for in its file", () => {
  const text = "from tar import open\n\nx = open(\n    1,\n    mode(2)\n)\ny = 1\n"
  const places = placesIn(over("call", "open"), { "a.py": text })
  expect(places.map(({ lines }) => lines.at(-1))).toEqual([")"])
  expect(placesText(places)).toContain(
    "a.py\n\nIn this file, open(...) calls what line 1 names: from tar import open\n\n```python\n"
  )
  const meaning = (path: string, text: string) => placesIn(over("call", "open"), { [path]: text })[0]?.meaning
  const own = (line: string) => meaning("a.py", `${line}\nopen(1)\n`)
  expect(own("open = gzip.open")).toMatch(/line 1 .*: open = gzip.open$/)
  expect(own("def open(path):")).toMatch(/line 1 .*: def open\(path\):$/)
  expect(["x = open == 1", "# open = 1", "reopen = 1"].map(own)).toEqual([undefined, undefined, undefined])
  // A bare name calls no method of Python or Go, and one of Java.
  expect(own("class Tar:\n    def open(self, path):\n        return path")).toBeUndefined()
  expect(meaning("a.go", "func (t *Tar) open(path string) {\n}\n\nvar x = open(1)\n")).toBeUndefined()
  expect(meaning("A.java", "class A {\n  void open(int x) {\n  }\n  int x = open(1);\n}\n")).toMatch(
    /line 2 .*: void open/
  )
})

describe("lines that contain a keyword", () => {
  const text = `def a():
    """May raise an error."""
    try:
        b()
    except OSError as error:
        if c:
            d()
            e()
            raise F(
                1,
                g(2),
                3)
    response.raise_for_status()
    # raise it`
  const places = placesIn(over("line", "raise"), { "a.py": text })

  it("are the statements of a program, and in other texts all lines with it", () => {
    expect(places.map(({ line }) => line)).toEqual([9])
    expect(placesIn(over("line", "raise"), { "a.md": text }).length).toBe(4)
    expect(placesIn(over("line", "raise "), { "a.py": text }).length).toBe(3)
  })

  it("are shown below the lines that begin their blocks, and to the end of the call", () => {
    expect(placesText(places)).toContain(
      "in a:\n5:     except OSError as error:\n6:         if c:\n7:             d()\n"
    )
    expect(placesText(places)).toContain(
      "[1] 9:             raise F(\n10:                 1,\n11:                 g(2),\n12:"
    )
  })

  it("are shown below a handler further out than the two blocks around them", () => {
    const inTry = "        try:\n            c()\n        except OSError:\n            with d:\n"
    const deep = `def a():\n    if b:\n${inTry}                for e in f:\n                    if g:\n                        raise E`
    const [place] = placesIn(over("line", "raise"), { "a.py": deep })
    expect(place?.heads?.map(({ line }) => line)).toEqual([5])
  })
})

it.each([
  ["a.py", "try:\n  a()\nexcept (A,\n    B):\n  if c:\n    raise 1\nelse:\n  raise 2", "raise", "except", [6]],
  ["a.py", "class Except:\n  # except\n  def exceptional():\n    raise 1", "raise", "except", []],
  ["a.py", "class Builder:\n  def a():\n    raise 1\nraise 2", "raise", "Builder", [3]],
  ["a.ts", "try {\n  throw 1\n} catch (e) {\n  throw 2\n}\nthrow 3", "throw", "catch", [4]],
  ["a.cs", "catch (E)\n{\n  a();\n  throw;\n}\nif (b)\n{\n  throw c;\n}", "throw", "catch", [4]],
  ["a.yml", "services:\n  image: a\nvolumes:\n  image: b", "image", "services", [2]]
])("lines of %s in blocks that begin with a word: %j", (path, text, containing, inside, lines) => {
  const places = placesIn({ ...over("line", containing), inside }, { [path]: text })
  expect(places.map(({ line }) => line)).toEqual(lines)
  const block = text.split("\n").findIndex((line) => line.includes(inside)) + 1
  expect(Math.min(...places.map(({ first, heads }) => heads?.[0]?.line ?? first))).toBeGreaterThanOrEqual(block)
})

it("shows places that are near each other as one text, by file and by declaration", () => {
  const source = "def a():\n    x(1)\n    x(2)\n\n\n\n\n\n    x(3)\n\ndef b():\n    x(4)\n"
  expect(placesText(placesIn(over("line", "x("), { "a.py": source, "b.txt": "x(5)\n" }))).toBe(`a.py

\`\`\`python
in a:
1: def a():
[1] 2:     x(1)
[2] 3:     x(2)

in a:
[3] 9:     x(3)
10:
11: def b():

in b:
11: def b():
[4] 12:     x(4)
\`\`\`

b.txt

\`\`\`text
[5] 1: x(5)
\`\`\``)
})

const sizes = (of: ReadonlyArray<NumberedPlace>, budget = 1_000_000) =>
  placeParts(of, budget).map(({ length }) => length)

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

  it("asks about no more than sixty at once, and begins a file that has to be divided in the part before", () => {
    expect(sizes([...places, ...places.map((place) => ({ ...place, path: `more/${place.path}` }))])).toEqual([60, 48])
    const long = placesIn(over("line", "x"), { "a.txt": "x\n", "b.txt": "x\n\n\n\n\n\n".repeat(70) })
    expect(sizes(long)).toEqual([60, 11])
    expect(sizes(places.slice(0, 3), 1)).toEqual([1, 1, 1])
  })
})

it("says which of all places are shown, and writes numbers as ranges", () => {
  const places = placesIn(over("call", "open"), { "a.py": "open(1)\n\nopen(2)\n" })
  expect(placesBlock(places)).toMatch(/^## Places 1-2 of 9\n\na\.py\n/)
  expect([numbersText([]), numbersText([5, 1, 2, 3, 9, 8])]).toEqual(["", "1-3, 5, 8-9"])
})
