import { describe, expect, it } from "@effect/vitest"
import {
  comparesFiles,
  isPlainSentence,
  isProduct,
  pathInProject,
  pathOfInfo,
  pathOfLine,
  pathReadings,
  pathsInSentence,
  pathWithBlanks
} from "../../../src/domain/files/ChangePath.ts"

const longest = 300
/** A path of so many characters. */
const pathOf = (length: number): string => `src/${"a".repeat(length - 7)}.ts`

describe("the path of a line", () => {
  it.each([
    "src/a.ts",
    "./src/a.ts",
    '"src/a.ts"',
    "**src/a.ts**",
    "### src/a.ts",
    "## `src/a.ts`",
    "### 1. `src/a.ts`",
    "- src/a.ts",
    "// src/a.ts",
    "/* src/a.ts */",
    "<!-- src/a.ts -->",
    "File: src/a.ts",
    "**File:** `src/a.ts`",
    "#### File 1: `src/a.ts`",
    "📄 src/a.ts",
    "In `src/a.ts`:",
    "Update src/a.ts:",
    "new file `src/a.ts`",
    "src/a.ts (new file)",
    "[src/a.ts](src/a.ts)"
  ])("is what stands in %j, without what is around it", (line) => {
    expect(pathOfLine(line)).toEqual({ path: "src/a.ts", hasLines: false })
  })

  it.each(["src/a.ts:12", "`src/a.ts:12-14`", "`src/a.ts` (lines 3 to 9)", "src/a.ts#L3-L9", "`src/a.ts`:12"])(
    "is of a part of the file in %j",
    (line) => {
      expect(pathOfLine(line)).toEqual({ path: "src/a.ts", hasLines: true })
    }
  )

  it.each([".gitignore", "Makefile", "README", "a.ts", "lib/util", "`my notes.md`", "{{ name }}/a.ts"])(
    "may be spelled like %j",
    (line) => {
      expect(pathOfLine(line)?.path).toBe(line.replaceAll("`", ""))
    }
  )

  it.each([
    "",
    "word",
    "my notes.md",
    "https://example.org/a.ts",
    "src/",
    "src/a.ts,",
    "-x/a.ts",
    "a|b/c.ts",
    "a?b.ts",
    "`src/a.ts` and more"
  ])("is none of %j", (line) => {
    expect(pathOfLine(line)).toBeUndefined()
  })

  it("has at most 300 characters, in a sentence as well", () => {
    expect(pathOfLine(pathOf(longest))?.path).toBe(pathOf(longest))
    expect(pathReadings(pathOf(longest))).not.toEqual([])
    for (const read of [pathOfLine, pathWithBlanks]) expect(read(pathOf(longest + 1))).toBeUndefined()
    expect(pathReadings(pathOf(longest + 1))).toEqual([])
    expect(pathsInSentence(pathOf(longest + 1), new Map())).toEqual([])
    expect(isPlainSentence(`It ${"is ".repeat(longest)}so.`)).toBe(false)
    expect(pathOfInfo(`ts file=${pathOf(longest + 1)}`)).toBeUndefined()
  })
})

it("the readings of a line are what it holds with less and less around it; the project tells which one is meant", () => {
  const paths = new Map([
    ["the file", "the file"],
    ["src/a b.ts", "src/A b.ts"]
  ])
  expect(pathInProject("1. **the file**:", paths)).toEqual({ path: "the file", hasLines: false })
  expect(pathInProject("File: `src/a b.ts`", paths)).toEqual({ path: "src/A b.ts", hasLines: false })
  expect(pathInProject("src/a b.ts:12-14", paths)).toEqual({ path: "src/A b.ts", hasLines: true })
  expect(pathInProject("“src/a b.ts”", paths)?.path).toBe("src/A b.ts")
  expect(pathInProject("src/other.ts", paths)).toBeUndefined()
  expect(pathReadings("  ")).toEqual([])
})

it("the readings of a line are at most 40", () => {
  expect(pathReadings("- ".repeat(140) + "a").length).toBe(40)
})

describe("a path with blanks", () => {
  it.each(["src/my notes/first page.ts", "File: src/my page.ts"])("is read out of %j", (line) => {
    expect(pathWithBlanks(line)).toBe(line.replace("File: ", ""))
  })

  const others = ["notes.md page.ts", "src/a.ts b.ts", "src/a and b.ts", "src/my page", "see src/my page.ts"]
  it.each(others)("is none of %j", (line) => expect(pathWithBlanks(line)).toBeUndefined())
})

it.each([
  ["ts file=src/a.ts", "src/a.ts", true],
  ['ts title="src/a b.ts"', undefined, undefined],
  ["{path='src/a.ts'}", "src/a.ts", true],
  ["ts:src/a.ts", "src/a.ts", true],
  ["ts src/a.ts", "src/a.ts", false],
  ["src/a.ts", "src/a.ts", false],
  ["ts", undefined, undefined],
  ["ts my src/a.ts", undefined, undefined],
  ["host:80", undefined, undefined]
])("the path of an info string of %j is %s", (info, path, isTitle) => {
  const read = pathOfInfo(info)
  expect([read?.path, read?.isTitle]).toEqual([path, isTitle])
})

describe("a sentence", () => {
  it("names paths in backquotes and with their folder, each once", () => {
    expect(pathsInSentence("In `limits.ts`, src/a.ts and (src/a.ts).", new Map())).toEqual(["limits.ts", "src/a.ts"])
    expect(pathsInSentence("Use `value` in `known`.", new Map([["known", "Known"]]))).toEqual(["Known"])
    expect(pathsInSentence("Change either/or and a.ts.", new Map())).toEqual([])
  })

  it("may compare the file with another one", () => {
    expect(comparesFiles("It is like `src/a.ts`:")).toBe(true)
    expect(comparesFiles("Change `src/a.ts`:")).toBe(false)
  })

  it("is plain when it has three words, an end and no path", () => {
    expect(["Now change this:", "The `limit` grows so:"].filter((line) => !isPlainSentence(line))).toEqual([])
    const others = ["Change this:", "now change this", "Now change a.ts:", "Now change src/a:", "1 and 2:"]
    expect(others.filter(isPlainSentence)).toEqual([])
  })

  it("may name a product that looks like a file", () => {
    expect(["Node.js", "Socket.io"].map(isProduct)).toEqual([true, true])
    expect(["node.js", "src/Node.js", "Node.ts"].map(isProduct)).toEqual([false, false, false])
  })
})
