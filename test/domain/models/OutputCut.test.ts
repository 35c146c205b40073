import { expect, it } from "@effect/vitest"
import { cutOutput } from "../../../src/domain/models/OutputCut.ts"
import { numberLines } from "../../../src/domain/text/NumberedLines.ts"
import { gave } from "../../support/sampleTasks.ts"

const file = (from: number, to: number, of: number) => {
  const lines = Array.from({ length: to - from + 1 }, (_, index) => `line of the file ${from + index}`)
  const note = to < of ? `\n\n(Lines ${from} to ${to} of ${of}. Read on with start_line ${to + 1}.)` : ""
  return gave("read_file", { path: "a.ts" }, `${numberLines(lines, from).join("\n")}${note}`)
}

const ran = (exit_code: number, lines: ReadonlyArray<string>) =>
  gave("run_command", { argv: ["t"] }, { exit_code, output: `${lines.join("\n")}\n` })

const found = (path: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${path}:${index + 1}: a line that holds the text number ${index}`)
const search = (text: string) => gave("search_files", { pattern: "text" }, text)

const withLicence = (count: number) => {
  const licence = ["# Copyright (c) 2013", ...Array.from({ length: count - 1 }, () => "# All that is allowed.")]
  const lines = [...licence, ...Array.from({ length: 60 }, (_, index) => `print(${index})`)]
  return gave("read_file", { path: "a.py" }, numberLines(lines, 1).join("\n"))
}

const cutSearch = (output: ReadonlyArray<string>, limit: number) => cutOutput(search(output.join("\n")), limit)

const cutPage = (text: string) => cutOutput(gave("fetch_url", {}, { url: "https://a.example/", title: "A", text }), 900)

it("names the lines of a file that are left out, and how many it has", () => {
  const text = cutOutput(file(1800, 1890, 5000), 1200)
  const [, first] = /\n\(Lines 1800 to \d+ of 5000; .* Read on with start_line (\d+)\.\)$/.exec(text) ?? []
  expect(text.split("\n").at(-2)).toBe(`${Number(first) - 1}: line of the file ${Number(first) - 1}`)
  expect(text.length).toBeLessThanOrEqual(1200)
})

it("reads on after the last line of what was read, when only the note does not fit", () => {
  const outcome = file(1, 150, 171)
  const text = cutOutput(outcome, String(outcome.result.data).length - 1)
  const [, last, next] = /\(Lines 1 to (\d+) of 171; .* Read on with start_line (\d+)\.\)$/.exec(text) ?? []
  expect(Number(next)).toBe(Number(last) + 1)
  expect(cutOutput(outcome, 20)).toBe("(The prompt has no room for lines 1 to 150 of 171. Read on with start_line 1.)")
})

it("leaves out a comment of five lines or more with the licence at the beginning of a file, where not all has room", () => {
  const cut = cutOutput(withLicence(5), 500)
  expect(cut.split("\n").slice(0, 2)).toEqual(["(lines 1 to 5, with the licence, left out)", "6: print(0)"])
  expect(cut).toMatch(/\(Lines 6 to \d+ of 65; the prompt has no room for more\./)
  expect(cut.length).toBeLessThanOrEqual(500)
  expect(cutOutput(withLicence(4), 500)).toMatch(/^1: # Copyright/)
  expect(cutOutput(withLicence(5), 5000)).toMatch(/^1: # Copyright/)
  expect(cutOutput(withLicence(5), 150)).not.toContain("with the licence")
})

it("says which lines of any other output are missing", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `item ${index}`)
  const text = cutOutput(gave("get_items", {}, lines.join("\n")), 2000)
  expect(text).toMatch(
    /^item 0\n[^]*\(The prompt has no room for lines \d+ to \d+ of the 500 lines of this output\.\)[^]*\nitem 499$/
  )
})

const tests = Array.from({ length: 500 }, (_, index) => `test ${index} of errors ... ok`)

it("keeps exit code, beginning, errors and end of what a command wrote", () => {
  const lines = tests.with(250, "--- FAIL: TestSum (0.00s)").with(251, "    sum_test.go:12: got 3, want 4")
  const text = cutOutput(ran(1, [...lines, "499 passed, 1 failed"]), 1500)
  expect(text.length).toBeLessThanOrEqual(1500)
  expect(text).toMatch(
    /^exit code 1\n\n\(The prompt has no room for all of the 501 lines of this output\.\)\ntest 0 of errors \.\.\. ok\n[^]*\n\(lines \d+ to 250 left out\)\n--- FAIL: TestSum \(0\.00s\)\n {4}sum_test\.go:12: got 3, want 4\n[^]*\n499 passed, 1 failed$/
  )
})

it("keeps exit code and totals even of many errors", () => {
  const text = cutOutput(ran(2, [...tests.map((_, at) => `a.ts(${at},1): error TS1`), "Found 500 errors."]), 600)
  expect(text).toMatch(/^exit code 2\n[^]*\na\.ts\(0,1\): error TS1\n[^]*left out\)\n[^]*\nFound 500 errors\.$/)
  expect(cutOutput(ran(2, tests), 10)).toBe(
    "exit code 2\n\n(The prompt has no room for all of the 500 lines of this output.)"
  )
})

it("names the files and places of a diff that does not fit", () => {
  const added = Array.from({ length: 300 }, (_, index) => `+added ${index}`)
  const first = ["--- a/src/a.ts", "+++ b/src/a.ts", "@@ -3 +3,300 @@ main", "-old", ...added]
  const diff = [...first, "--- b.ts", "+++ b.ts", "@@ -7 +7 @@", "-x", "+y"]
  const summary = ["src/a.ts: +300 -1, at lines 3 to 302", "b.ts: +1 -1, at line 7"]
  const edited = gave("edit_file", { path: "src/a.ts" }, { path: "src/a.ts", diff: diff.join("\n") })
  expect(cutOutput(edited, 250).split("\n")).toEqual([
    "(The prompt has no room for all of the 309 lines of this diff. It changes:)",
    ...summary
  ])
  expect(cutOutput(ran(0, diff), 250).split("\n").slice(1)).toEqual(summary)
  expect(cutOutput(edited, 600)).toMatch(
    /at line 7\n\n\(The first \d+ of them:\)\n--- a\/src\/a\.ts\n[^]*\n\+added \d+$/
  )
})

it("names the declarations around each match that is left of a search", () => {
  const calls = Array.from({ length: 20 }, (_, at) => `  call${at}(text)`)
  const first = calls.map((line, at) => `src/a.ts:${2 + at}: ${line}`)
  const second = [...calls.map((line, at) => `src/a.ts:${40 + at}: ${line}`), "src/a.ts:60:   function inner(text) {"]
  const lines = ["(in first)", ...first, "(in second)", ...second, "--", "src/a.ts:70: const text = 1"]
  const [, ...shown] = cutSearch(["43 matches in 2 files.", ...lines, "src/b.ts:9: text"], 700).split("\n")
  expect(shown.slice(0, 2)).toEqual(["(in first)", "src/a.ts:2:   call0(text)"])
  expect(shown.slice(-5)).toEqual([
    "(in second)",
    "src/a.ts:60:   function inner(text) {",
    "--",
    "src/a.ts:70: const text = 1",
    "src/b.ts:9: text"
  ])
})

/** A match with a line before and after it, below the line that names its declaration. */
const partOf = (path: string, line: number) => [
  `(in f${line})`,
  `${line - 1}: before`,
  `${path}:${line}: text`,
  `${line + 1}: after ${"x".repeat(60)}`
]

it("shows lines around the first matches of a search where all matches fit, and some room is left", () => {
  const parts = [partOf("src/a.ts", 10), partOf("src/a.ts", 30), partOf("src/b.ts", 10)].map((lines) =>
    lines.join("\n")
  )
  const text = cutSearch(["3 matches in 2 files.", parts.join("\n--\n")], 345)
  const [, ...shown] = text.split("\n")
  expect(shown).toEqual([...partOf("src/a.ts", 10), "(in f30)", "src/a.ts:30: text", "(in f10)", "src/b.ts:10: text"])
  expect(text).toContain("no room for more or for all lines around matches")
})

it("shares the room of a search among its files, and counts what is shown", () => {
  const head = "63 matches in 3 files, letter case ignored."
  const byFile =
    "Shown by file: src/a.ts 50, src/b.ts 10 of 12, src/c.ts 1. For others name a file with path, or give a higher max_results."
  const lines = [...found("src/a.ts", 50), ...found("src/b.ts", 10), ...found("src/c.ts", 1)]
  for (const [first, all, more] of [
    [head, 10, ""],
    [`${head} ${byFile}`, 12, " More match than max_results allowed."]
  ] as const) {
    const text = cutSearch([first, ...lines, "(Not searched, too large: 1 file.)"], 1200)
    expect(text.length).toBeLessThanOrEqual(1200)
    const of = (path: string) => text.split("\n").filter((line) => line.startsWith(`${path}:`)).length
    const [a, b] = [of("src/a.ts"), of("src/b.ts")]
    expect(b).toBeGreaterThan(5)
    expect(text.split("\n")[0]).toBe(
      `${head} Shown by file: src/a.ts ${a} of 50, src/b.ts ${b === all ? b : `${b} of ${all}`}, src/c.ts 1.${more} The prompt has no room for more; name a file with path.`
    )
    expect(text.split("\n").at(-1)).toBe("(Not searched, too large: 1 file.)")
  }
  const around = lines.flatMap((line) => [line.replace(/^[^:]*:(\d+):/, "$1:"), line])
  const withAround = cutSearch([head, ...around], 1200)
  expect(withAround.split("\n").filter((line) => line.startsWith("src/a.ts:")).length).toBeGreaterThan(3)
  expect(withAround).not.toMatch(/^\d+:/m)
  expect(withAround).toContain("no room for more or for all lines around matches; name a file with path.")
  expect(cutSearch([head, ...lines], 0)).toBe(`${head} The prompt has no room for them; name a file with path.`)
  const alone = cutSearch(["50 matches in 1 file.", ...found("src/a.ts", 50)], 700)
  expect(alone).toContain("The prompt has no room for more; look for a longer text.")
})

it("says where a page is to be read on", () => {
  const page = Array.from({ length: 300 }, (_, index) => `Paragraph ${index}.`).join("\n")
  const next = (text: string) => Number(/Read on with start (\d+)\.\)$/.exec(cutPage(text))?.[1])
  const shown = cutPage(page).split("\n\n").slice(1).join("\n\n").split("\n(The prompt")[0] ?? ""
  expect([page.startsWith(shown), next(page)]).toEqual([true, shown.length])
  const later = `${page}\n\n(Characters 5000 to 9000 of 20000. Read on with start 9000.)`
  expect(next(later)).toBe(5000 + shown.length)
})
