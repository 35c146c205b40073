import { assert, describe, expect, it } from "@effect/vitest"
import { readCoverage } from "../../../src/domain/models/ReadCoverage.ts"
import { cutOutput } from "../../../src/domain/models/OutputCut.ts"
import { outcomeText } from "../../../src/domain/models/OutputText.ts"
import { fitLines } from "../../../src/domain/text/Excerpt.ts"
import { numberLines } from "../../../src/domain/text/NumberedLines.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { gave } from "../../support/sampleTasks.ts"

const lines = Array.from({ length: 200 }, (_, index) => `A sentence about the number ${index * 7}.`)
const read = (args: Arguments = {}, from = 1, to = 200) =>
  gave("read_file", { path: "docs/big.md", ...args }, numberLines(lines.slice(from - 1, to), from).join("\n"))

const none = () => false
const shares = (outcomes: ReadonlyArray<CallOutcome>, limit: number, isOther: (path: string) => boolean = none) =>
  readCoverage(
    outcomes,
    outcomes.map((one) => cutOutput(one, limit)),
    isOther
  )

const rows = (count: number) => lines.slice(0, count).map((line, index) => `docs/big.md:${index + 1}: ${line}`)

const searchShares = (head: string, count = 0) =>
  shares([gave("search_files", { pattern: "sentence" }, [head, ...rows(count)].join("\n"))], 100_000)

describe("what a task read itself", () => {
  it("was seen as a whole when it stands in a prompt", () => {
    assert.deepStrictEqual(shares([read()], 100_000), [])
    assert.deepStrictEqual(shares([read({ start_line: 50, end_line: 60 }, 50, 60)], 100_000), [])
  })

  it("was seen in part when the prompt had no room", () => {
    const [part] = shares([read()], 1000)
    assert.strictEqual(part?.href, "docs/big.md")
    assert.isAbove(part?.percent ?? 0, 5)
    assert.isBelow(part?.percent ?? 0, 20)
  })

  it("was seen in part when the tool returned only its beginning", () => {
    const text = fitLines(numberLines(lines, 1), 2000, { first: 1, of: 200 })
    const one = gave("read_file", { path: "docs/big.md" }, text)
    assert.deepStrictEqual(shares([one], 100_000), [{ href: "docs/big.md", percent: 27, lines: { seen: 54, of: 200 } }])
    const rest = read({ start_line: 50 }, 50, 200)
    assert.deepStrictEqual(shares([one, rest], 100_000), [])
    const huge = fitLines(numberLines(lines, 1), 2000, { first: 1 })
    assert.deepStrictEqual(shares([gave("read_file", { path: "a.log" }, huge)], 100_000), [
      { href: "a.log", percent: 0 }
    ])
  })

  it("says how many lines were asked for, and how many the file has", () => {
    const text = `${numberLines(lines.slice(9, 49), 10).join("\n")}\n\n(Lines 10 to 49 of 200. Read on with start_line 50.)`
    const one = gave("read_file", { path: "docs/big.md", start_line: 10, end_line: 60 }, text)
    assert.deepStrictEqual(shares([one], 100_000), [
      { href: "docs/big.md", percent: 78, lines: { seen: 40, of: 51, file: 200 } }
    ])
  })

  it("counts the ranges that were read later, and lines that a search has shown", () => {
    const first = cutOutput(read(), 1000)
    const later = read({ start_line: 10, end_line: 200 }, 10, 200)
    assert.deepStrictEqual(readCoverage([read(), later], [first, outcomeText(later)], none), [])
    const found = lines.map((line, index) => `docs/big.md:${index + 1}: ${line}`).join("\n")
    assert.deepStrictEqual(readCoverage([read()], [first, found], none), [])
  })

  it("does not count files that are accounted for elsewhere, and calls that failed", () => {
    const failed = { ...read(), result: { ...read().result, success: false } }
    expect(shares([read()], 1000, (path) => path === "docs/big.md")).toStrictEqual([])
    assert.deepStrictEqual(shares([failed], 1000), [])
  })

  it("counts what cat prints", () => {
    const data = { exit_code: 0, output: `${lines.join("\n")}\n` }
    const printed = gave("run_command", { argv: ["cat", "docs/big.md"] }, data)
    assert.deepStrictEqual(shares([printed], 100_000), [])
    const [part] = shares([printed], 1000)
    assert.strictEqual(part?.href, "docs/big.md")
    assert.isBelow(part?.percent ?? 100, 30)
    assert.deepStrictEqual(shares([gave("run_command", { argv: ["npm", "test"] }, data)], 1000), [])
  })

  it("counts the matches of a search by how many there are", () => {
    assert.deepStrictEqual(searchShares("50 matches in 1 file, letter case ignored.", 50), [])
    assert.deepStrictEqual(searchShares("200 matches in 1 file. Shown by file: docs/big.md 50 of 200.", 50), [
      { href: 'matches of "sentence"', percent: 25, lines: { seen: 50, of: 200 } }
    ])
    assert.deepStrictEqual(searchShares('No line of the 3 files holds "sentence".'), [])
  })
})
