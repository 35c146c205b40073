import { assert, describe, it } from "@effect/vitest"
import type { ProposedFile } from "../../../src/domain/files/ProposedFile.ts"
import { remainingOccurrences, removedText } from "../../../src/domain/files/RemainingOccurrences.ts"

const proposed = (base: string, text: string): ProposedFile => ({ path: "src/a.ts", base, text })
const line = (index: number): string => `shelves.fill("a long line of tea", ${index})`
const lines = (count: number): string => Array.from({ length: count }, (_, index) => line(index)).join("\n")

describe("what a change took away", () => {
  it("are at most five names", () => {
    const names = Array.from({ length: 6 }, (_, index) => `export function gone${index}() {}`)
    assert.lengthOf(removedText([proposed(names.slice(0, 5).join("\n"), "")]).names, 5)
    assert.lengthOf(removedText([proposed(names.join("\n"), "")]).names, 5)
  })

  it("are up to five lines; more were a part that was rewritten", () => {
    assert.lengthOf(removedText([proposed(lines(5), "")]).lines, 5)
    assert.deepStrictEqual(removedText([proposed(lines(6), "")]).lines, [])
  })

  it("are lines of at least 24 characters, and no names that stand for something else", () => {
    const base = `${"x".repeat(20)}();\n${"y".repeat(21)}();\nfunction main() {}\nfunction own() {}\nfunction mine() {}`
    const { lines: removed, names } = removedText([proposed(base, "")])
    assert.deepStrictEqual([removed, names], [[`${"y".repeat(21)}();`], ["mine"]])
  })
})

const holding = (count: number, text: string) => ({
  path: "src/b.ts",
  text: Array.from({ length: count }, () => text).join("\n")
})

const removed = { names: ["rateLimit"], lines: [] }
const ofName = (count: number) => remainingOccurrences([holding(count, "use(rateLimit)")], removed, [])
const ofLine = (count: number) =>
  remainingOccurrences([holding(count, `  ${line(1)}`)], { names: [], lines: [line(1)] }, [])

describe("what is left of it", () => {
  it("names five places of a name, and counts the others", () => {
    const five =
      "- `rateLimit`, which your change renamed or removed: src/b.ts:1, src/b.ts:2, src/b.ts:3, src/b.ts:4, src/b.ts:5"
    assert.deepStrictEqual([ofName(5), ofName(6), ofName(0)], [[five], [`${five} and 1 more`], []])
  })

  it("is no line that stands at more than five places", () => {
    assert.deepStrictEqual([ofLine(5).length, ofLine(6).length], [1, 0])
  })

  it("is not what the file defines itself, nor a place that is excepted", () => {
    const own = { path: "src/c.ts", text: "const rateLimit = 1\nuse(rateLimit)" }
    assert.deepStrictEqual(remainingOccurrences([own], removed, []), [])
    const texts = [holding(2, "use(rateLimit)")]
    assert.deepStrictEqual(remainingOccurrences(texts, removed, ["src/b.ts"]), [])
    assert.include(remainingOccurrences(texts, removed, ["src/b.ts:1"])[0], ": src/b.ts:2")
    assert.include(remainingOccurrences(texts, removed, ["src/b"])[0], "src/b.ts:1, src/b.ts:2")
  })

  it("shows the first 80 characters of a line", () => {
    const long = `call(${"x".repeat(100)})`
    const [text] = remainingOccurrences([holding(1, long)], { names: [], lines: [long] }, [])
    assert.include(text, `\`${long.slice(0, 80)}\``)
  })
})
