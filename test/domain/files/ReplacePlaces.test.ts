import { assert, describe, it } from "@effect/vitest"
import { replaceIn, replacePlaces } from "../../../src/domain/files/TextEdit.ts"

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

const replaced = (...except: ReadonlyArray<number>) => replaceIn(files[0]!.text, "limit", "maximum", except)

describe("replaceIn", () => {
  it("replaces whole names only, and leaves excepted lines", () => {
    assert.strictEqual(replaced(), "const maximum = 5\nmaximum(maximum)\nconst limits = 1\n")
    assert.strictEqual(replaced(2), "const maximum = 5\nlimit(limit)\nconst limits = 1\n")
  })

  it("takes pattern and text literally", () => {
    assert.strictEqual(replaceIn("a.b a+b $a", "a.b", "$&", []), "$& a+b $a")
    assert.strictEqual(replaceIn("aaa", "a", "b", []), "aaa")
    assert.strictEqual(replaceIn("a-a.a", "a", "b", []), "b-b.b")
  })

  it("keeps line ends", () => {
    assert.strictEqual(replaceIn("a\r\nb\r\nc\r\n", "a\nb", "x\ny", []), "x\r\ny\r\nc\r\n")
  })
})
