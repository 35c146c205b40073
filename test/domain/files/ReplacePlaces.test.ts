import { assert, describe, it } from "@effect/vitest"
import { leftovers, replaceIn, replacePlaces } from "../../../src/domain/files/ReplacePlaces.ts"

const files = [
  { path: "src/a.ts", text: "const limit = 5\nlimit(limit)\nconst limits = 1\n" },
  { path: "src/b.ts", text: "import { limit } from './a'\r\nuse(limit)\r\n" },
  { path: "docs/a.md", text: "The `limit` is off-limit.\n" }
]

const placesOf = (pattern: string, ...except: ReadonlyArray<string>) =>
  replacePlaces(files, { pattern, except }).map(({ line, path }) => `${path}:${line}`)

describe("replacePlaces", () => {
  it("finds a name as a whole name, and each line once", () => {
    assert.deepStrictEqual(placesOf("limit"), ["src/a.ts:1", "src/a.ts:2", "src/b.ts:1", "src/b.ts:2", "docs/a.md:1"])
  })

  it("gives the lines as they are", () => {
    assert.deepStrictEqual(replacePlaces(files, { pattern: "use", except: [] }), [
      { path: "src/b.ts", line: 2, text: "use(limit)" }
    ])
  })

  it("finds another text literally, also as a part", () => {
    assert.deepStrictEqual(placesOf("limit)"), ["src/a.ts:2", "src/b.ts:2"])
    assert.deepStrictEqual(placesOf("l.mit"), [])
    assert.deepStrictEqual(placesOf(" limits ="), ["src/a.ts:3"])
  })

  it("finds a text over several lines, whatever the line ends", () => {
    assert.deepStrictEqual(placesOf("'./a'\nuse("), ["src/b.ts:1"])
  })

  it("leaves out lines, files and folders that are excepted", () => {
    assert.deepStrictEqual(placesOf("limit", "src/a.ts:2", "./src/b.ts", "docs/"), ["src/a.ts:1"])
  })

  it("finds nothing for no text", () => assert.deepStrictEqual(placesOf(""), []))
})

describe("replaceIn", () => {
  it("replaces whole names only", () => {
    assert.strictEqual(
      replaceIn(files[0]!.text, "limit", "maximum", []),
      "const maximum = 5\nmaximum(maximum)\nconst limits = 1\n"
    )
  })

  it("leaves excepted lines", () => {
    assert.strictEqual(
      replaceIn(files[0]!.text, "limit", "maximum", [2]),
      "const maximum = 5\nlimit(limit)\nconst limits = 1\n"
    )
  })

  it("takes pattern and text literally", () => {
    assert.strictEqual(replaceIn("a.b a+b $a", "a.b", "$&", []), "$& a+b $a")
    assert.strictEqual(replaceIn("aaa", "a", "b", []), "aaa")
    assert.strictEqual(replaceIn("a-a.a", "a", "b", []), "b-b.b")
  })

  it("keeps line ends", () => {
    assert.strictEqual(replaceIn("a\r\nb\r\nc\r\n", "a\nb", "x\ny", []), "x\r\ny\r\nc\r\n")
  })

  it("replaces what replacePlaces finds", () => {
    for (const pattern of ["limit", "const", "limit)", "`", "a"]) {
      for (const { path, text } of files) {
        const found = replacePlaces([{ path, text }], { pattern, except: [] }).map(({ line }) => line)
        const after = replaceIn(text, pattern, "#", []).split("\n")
        const changed = text.split("\n").flatMap((line, index) => (line === after[index] ? [] : [index + 1]))
        assert.deepStrictEqual(changed, found)
      }
    }
  })
})

const left = (oldText: string, newText: string, texts: Readonly<Record<string, string>>) =>
  leftovers(
    [{ oldText, newText }],
    Object.entries(texts).map(([path, text]) => ({ path, text }))
  ).map(({ holds, line, path }) => `${path}:${line} ${holds}`)

describe("leftovers", () => {
  it("finds the same line elsewhere", () => {
    const old = "  if len(s.items) > limit {\n"
    assert.deepStrictEqual(left(old, "  if s.size() > limit {\n", { "src/slice.go": `a\n\t${old.trim()}\nb\n` }), [
      "src/slice.go:2 if len(s.items) > limit {"
    ])
  })

  it("finds a name and a literal that the new text has no more", () => {
    const texts = { "a.ts": 'readLimit()\nother("old value")\n', "b.md": "Call `readLimit`.\n" }
    assert.deepStrictEqual(left('readLimit("old value")\n', 'readMaximum("new value")\n', texts), [
      "a.ts:1 readLimit",
      "b.md:1 readLimit",
      'a.ts:2 "old value"'
    ])
  })

  it("says nothing of what stays, of short names, and of words that stand everywhere", () => {
    const many = "return other\n".repeat(21)
    assert.deepStrictEqual(left("return keep(x)\n", "keep(y)\n", { "a.ts": `keep(x)\n${many}` }), [])
  })
})
