import { expect, it } from "@effect/vitest"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { changedBlocks } from "../../../src/domain/documents/ChangedFiles.ts"
import { compactedText } from "../../../src/domain/documents/CompactedTurns.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { numberLines } from "../../../src/domain/text/NumberedLines.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { openChanges } from "../../../src/domain/tools/OpenChanges.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const lines = Array.from({ length: 60 }, (_, index) =>
  index % 20 === 0 ? `function part${index / 20}() {` : index % 20 === 19 ? "}" : `  step(${index + 1})`
)
const text = `${lines.join("\n")}\n`
const changed = text.replace("  step(10)", "  stop(10)")

const read = (turn: number, from: number, to: number, path = "src/a.ts", of = lines) => {
  const given = { path, start_line: from, end_line: to }
  return gave("read_file", given, numberLines(of.slice(from - 1, to), from).join("\n"), `turn-${turn}/call-1`)
}
const search = (turn: number, pattern: string, count: number) => {
  const rows = lines.slice(0, count).map((line, index) => `src/a.ts:${index + 1}: ${line}`)
  const output = [`${count} matches in 1 file.`, ...rows].join("\n")
  return gave("search_files", { pattern }, output, `turn-${turn}/call-2`)
}
const edit = (turn: number, old: string, now: string, isMade: boolean, block = 1): CallOutcome => {
  const [uid, given] = [`turn-${turn}/block-${block}`, { path: "src/a.ts", old_text: old, new_text: now }]
  return isMade
    ? gave("edit_file", given, { path: "src/a.ts", diff: "--- a" }, uid)
    : failed("edit_file", given, "validation_failed", "Nothing was changed. The old_text does not occur.", uid)
}

const folded = (outcomes: ReadonlyArray<CallOutcome>, more: Partial<Parameters<typeof compactedText>[0]> = {}) =>
  compactedText({
    outcomes,
    open: openChanges(outcomes),
    files: [{ path: "src/a.ts", base: text, text: changed }],
    above: "The contents of src/a.ts#L10-L40",
    checks: [],
    issues: [],
    now: "Go on.",
    budget: 4000,
    ...more
  })

/** A check that failed, with this text and failure. */
const failedCheck = (text: string, failure = "error", command = "npm test"): CheckOutcome => ({
  command,
  exitCode: 1,
  seconds: 1,
  text,
  failures: [failure],
  newFailures: [failure]
})

/** A change of this line in src/a.ts, with the texts before and after it. */
const changeOf = (base: string, from = "  step(10)", to = "  stop(10)") => ({
  path: "src/a.ts",
  base,
  text: base.replace(from, to)
})

/** The edit that made the change of `changed`. */
const made = (turn = 1) => edit(turn, "  step(10)", "  stop(10)", true)

const numbered = <A>(count: number, of: (index: number) => A) => Array.from({ length: count }, (_, at) => of(at))
const linesOf = (name: string) => numbered(60, (index) => `  ${name} of line ${index + 1};`)

/** What a compaction shows: whole outputs of earlier turns, and lines of a diff, a check, imports and the last output. */
const partsAt = (budget: number): string => {
  const many = numbered(400, (at) => (at < 15 ? `import { one${at} } from "./one${at}.ts"` : `  step(${at})`))
  const now = many.map((line, index) => (index > 0 && index % 40 === 0 ? `  stop(${index})` : line))
  const earlier = [300, 700, 1500].map((size, index) => {
    const given = { url: `https://a.example/${index}` }
    return gave("fetch_url", given, `early${index} `.repeat(size / 7), `turn-${index + 1}/call-1`)
  })
  const shown = folded([...earlier, read(4, 1, 60, "src/b.ts", linesOf("last"))], {
    files: [{ path: "src/a.ts", base: many.join("\n"), text: now.join("\n") }],
    checks: [failedCheck(["npm test: exit code 1 in 1 s", ...linesOf("check")].join("\n"))],
    budget
  })
  const count = (pattern: RegExp): number => [...shown.matchAll(pattern)].length
  const outputs = [0, 1, 2].filter((index) => shown.includes(`early${index} early`)).join("")
  const counts = [/^[-+] {2}st[eo]p/gm, /^ {2}check of/gm, /^\d+: import/gm, /^\d+: {3}last of/gm].map(count)
  return [outputs === "" ? "-" : outputs, ...counts].join(" ")
}

it("keeps a failed change with the reason, as its file is now, and the text around it", () => {
  const missed = edit(2, "  step(31)\n  stop(32)", "  stop(31)\n  stop(32)", false, 2)
  const shown = folded([read(1, 1, 60), made(2), missed])
  expect(shown).toMatch(/### Not changed: src\/a\.ts\n\nThe block that replaces `step\(31\)`:/)
  expect(shown).toMatch(/does not occur in src\/a\.ts\. Lines 31 to 32 are nearest[^\n]*\n {2}step\(31\)/)
  expect(shown).toContain("\n31:   step(31)\n")
  /* The text before the edit is not shown any more. */
  expect(shown).not.toContain("10:   step(10)")
  expect(shown).toContain("-  step(10)\n+  stop(10)")
  expect(folded([read(1, 1, 60), made(2), missed], { checks: [failedCheck("")] })).toContain("10:   stop(10)")
})

it("shows changed functions whole, once, with a line about the change, and no call of a change, while a check fails", () => {
  const shown = folded([made()], { checks: [failedCheck("")] })
  expect(shown).toContain("- src/a.ts: +1 -1, at lines 7 to 13; in part0\n")
  expect(shown).toContain("1: function part0() {\n2:   step(2)")
  expect(shown).toContain("19:   step(19)\n20: }\n(lines 21 to 60 left out)")
  expect(shown.split("stop(10)").length).toBe(2)
  expect(shown).not.toMatch(/edit_file|old_text|@@/)
  const passed = folded([made()])
  expect(passed).toContain("-  step(10)\n+  stop(10)")
  expect(passed).not.toContain("## The changed places as they are now")
})

it("shows changes as a diff with names of functions where no function holds them, or it has no room", () => {
  const top = text.replaceAll(/function part\d\(\) \{/g, "start()")
  expect(folded([made()], { files: [changeOf(top)] })).toContain("-  step(10)\n+  stop(10)")
  const small = folded([made()], { budget: 640 })
  expect(small).toMatch(/@@ -7,7 \+7,7 @@ function part0\(\) \{\n/)
  expect(small).toContain("-  step(10)\n+  stop(10)")
  const files = numbered(4, (index) => ({ path: `src/f${index}.ts`, base: text, text: changed }))
  expect(changedBlocks(files, 500)).toContain("- src/f0.ts: +1 -1, at lines 7 to 13; in part0")
})

it("shows a function of at most 100 lines whole, and none that the last answer has read after its change", () => {
  const long = (count: number) => {
    const base = ["function part() {", ...numbered(count - 2, (at) => `  step(${at})`), "}", ""].join("\n")
    return folded([made()], { files: [changeOf(base)], budget: 8000, checks: [failedCheck("")] })
  }
  expect([100, 101].map((count) => long(count).includes("@@ "))).toEqual([false, true])
  const again = folded([made(), read(2, 1, 30, "src/a.ts", changed.trimEnd().split("\n"))], {
    checks: [failedCheck("")]
  })
  expect(again.split("stop(10)").length).toBe(2)
  expect(again).not.toContain("## The changed places as they are now")
})

it("offers to repeat a call only where the turns before read something", () => {
  expect(folded([made(2)])).not.toContain("Repeat a call")
  expect(folded([read(1, 1, 60), made(2)])).toContain("Repeat a call")
})

it("shows a read once, the newest search, and older ones in a line each", () => {
  const other = numbered(40, (index) => `other ${index + 1}`)
  const reads = [read(2, 5, 9, "src/b.ts", other), read(3, 1, 30, "src/b.ts", other)]
  const shown = folded([search(1, "step", 12), ...reads, search(4, "part", 3)], { files: [] })
  expect(shown).toMatch(/- `search_files step`: 12 matches in 1 file\.\n/)
  expect(shown).not.toContain("src/a.ts:12:")
  expect(shown).toContain("src/a.ts:3:")
  expect(shown.split("\n7: other 7").length).toBe(2)
  expect(shown).toMatch(/- `read_file src\/b\.ts`: lines 5 to 9/)
})

it("shows all searches of the last answer, and none whose lines a change has moved", () => {
  const shown = folded([search(1, "step", 12), search(2, "part", 3), search(2, "stop", 5)], { files: [] })
  expect(shown).toMatch(/- `search_files step`: 12 matches in 1 file\.\n/)
  expect(shown).toContain("3 matches in 1 file.\nsrc/a.ts:1:")
  expect(shown).toContain("5 matches in 1 file.\nsrc/a.ts:1:")
  expect(folded([search(1, "step", 12), made(2)])).not.toContain("src/a.ts:12:")
  const failing = failed("edit_file", { path: "src/a.ts" }, "validation_failed", "No.", "turn-2/call-1")
  expect(folded([search(1, "step", 12), failing], { files: [], budget: 9000 })).toContain("src/a.ts:12:")
})

it("shows an earlier read whole or in a line", () => {
  const names = ["b", "c", "d", "e", "f"]
  const outcomes = names.map((name, index) => read(index + 1, 1, 60, `src/${name}.ts`, linesOf(name)))
  for (const budget of [2000, 4000, 6000, 9000]) {
    const shown = folded(outcomes, { files: [], budget })
    const counts = names.map((name) => [...shown.matchAll(new RegExp(`^\\d+:   ${name} of line`, "gm"))].length)
    const listed = names.filter((name) => shown.includes(`- \`read_file src/${name}.ts\`: lines 1 to 60`))
    expect(counts.filter((count) => count > 0 && count < 60).length, String(budget)).toBe(0)
    expect(listed).toEqual(names.filter((_, index) => counts[index] === 0))
  }
})

it("shows a part of an earlier page from 1,000 characters on", () => {
  const page = read(
    1,
    1,
    200,
    "src/b.ts",
    numbered(200, () => "  b of line")
  )
  const outcomes = [{ ...page, call: { ...page.call, name: "fetch_url" } }, search(2, "x", 1)]
  const sizes = numbered(400, (index) => folded(outcomes, { files: [], budget: 500 + index * 10 })).map(
    (shown) => (shown.match(/^\d+:   b of line$/gm) ?? []).join("\n").length
  )
  const least = Math.min(...sizes.filter((size) => size > 0))
  expect([Math.min(...sizes), Math.max(...sizes) > 2000, least > 800, least < 1000]).toEqual([0, true, true, true])
})

it("never leaves out what is open, however small the room is", () => {
  const issue = makeIssue("change-open", {}, { what: "The block is cut.", how: "Write it whole." })
  const searches = [3, 4, 5].map((turn) => search(turn, "s", 20))
  const shown = folded([read(1, 1, 60), edit(2, "  stop(50)", "  stop(51)", false), ...searches], {
    checks: [failedCheck("npm test: exit code 1\nsum > adds", "sum > adds")],
    issues: [issue],
    budget: 600
  })
  expect(shown).toContain("### Not changed: src/a.ts")
  expect(shown).toContain("does not occur in src/a.ts")
  expect(shown).toContain("sum > adds")
  expect(shown).toContain("The block is cut. Write it whole.")
  expect(shown).toContain("## Now\n\nGo on.")
  expect(shown.length).toBeLessThan(2200)
})

it("says in a line why a call failed, and shows no output that has no room", () => {
  const denied = failed("read_file", { path: "src/c.ts" }, "permission_denied", "Nobody allows it.", "turn-2/call-1")
  const shown = folded([read(1, 1, 60, "src/b.ts"), denied], { budget: 300 })
  expect(shown).toContain("- `read_file src/c.ts`: failed: Nobody allows it.")
  expect(shown).toContain("- `read_file src/b.ts`: lines 1 to 60")
  expect(shown).not.toMatch(/of the 1 lines of this output|### Tool call/)
  const old = "Files shown above are as they were before your changes."
  expect(shown).toContain(old)
  expect(folded([denied], { above: "## Current file\n\nPath: src/a.ts" })).toContain(old)
  expect(folded([denied], { above: "Change src/a.ts." })).not.toContain(old)
})

it("gives the room to what was asked for last, and shows a part of it where it is short", () => {
  const outcomes = [read(1, 1, 200), read(2, 1, 40, "src/b.ts"), read(2, 1, 40, "src/c.ts")]
  const shown = folded(outcomes, { files: [], budget: 2000 })
  expect(shown).toContain("- `read_file src/a.ts`: lines 1 to")
  expect(shown.match(/^4: /gm)).toHaveLength(2)
  expect(shown.length).toBeLessThanOrEqual(2000)
  // No room is kept for lines about calls that are all shown.
  const all = folded(outcomes.slice(1), { files: [], budget: 1800 })
  expect([all.length > 1400, all.length <= 1800]).toEqual([true, true])
  const little = folded(outcomes, { files: [], budget: 1300 })
  expect(little.match(/^4: /gm)).toHaveLength(1)
  expect(little).toContain("- `read_file src/c.ts`: lines 1 to 40, output left out")
})

it("shows a diff whole, or its places alone, and lines for files without any", () => {
  const diff = { path: "src/a.ts", base: text, text: changed }
  const whole = changedBlocks([diff], 640)
  expect(whole).toMatch(/\n-[^\n]*step[^]*\n\+[^\n]*stop/)
  const few = changedBlocks([diff], 100)
  expect(few).toContain("The prompt has no room for the diffs of these files:\n\n- src/a.ts: +1 -1, at lines 7 to 13")
  expect(few).not.toContain("```diff")
  const files = numbered(20, (index) => ({ path: `src/f${index}.ts`, base: text, text: changed }))
  const listed = folded([], { files, budget: 1500 })
  expect(listed).toMatch(/no room for the diffs of these files:\n\n- src\/f0\.ts: \+1 -1, at lines 7 to 13/)
  expect(listed.length).toBeLessThan(2000)
})

it("names the places of a few matches, whose lines are not shown any more", () => {
  const searches = [search(1, "step", 2), search(2, "stop", 12), search(3, "part", 1)]
  const shown = folded(searches, { files: [], budget: 100 })
  expect(shown).toContain("`search_files step`: 2 matches in 1 file. At src/a.ts:1, src/a.ts:2.")
  expect(shown).toMatch(/`search_files stop`: 12 matches in 1 file\.\n/)
})

it("names all reads of a file in one line", () => {
  const other = numbered(60, (index) => `other ${index + 1}`)
  const reads = [read(3, 20, 29, "src/b.ts", other), read(4, 1, 5, "src/b.ts", other)]
  const shown = folded([...reads, search(5, "part", 1)], { files: [], budget: 100 })
  expect(shown).toContain("- `read_file src/b.ts`: lines 1 to 5, 20 to 29, output left out\n")
  expect(shown.split("`read_file src/b.ts`").length).toBe(2)
})

it("names the matches of a search that no change has touched, at their lines now", () => {
  const rows = [9, 10, 11].map((at) => `src/a.ts:${at}:   step(${at})`)
  const output = ["5 matches in 2 files.", ...rows, "src/c.ts:1: step", "src/c.ts:2: step"].join("\n")
  const found = gave("search_files", { pattern: "step" }, output, "turn-1/call-2")
  const calls = [search(1, "step", 12), found, made(2), read(3, 1, 5, "src/b.ts", lines)]
  expect(folded(calls)).toContain("5 matches in 2 files. Still as found: src/a.ts:9, 11; src/c.ts:1, 2.\n")
  const moved = folded(calls, { files: [{ path: "src/a.ts", base: text, text: `// A line above.\n${changed}` }] })
  expect(moved).toContain("Still as found: src/a.ts:10, 12; src/c.ts:1, 2.\n")
})

it("names only the places of a large change in a file that the last answer did not change", () => {
  const now = changed.replaceAll("step(3", "stop(3")
  const given = { files: [{ path: "src/a.ts", base: text, text: now }], budget: 9000 }
  const work = edit(1, "  step(30)", "  stop(30)", true)
  const other = read(2, 1, 9, "src/b.ts", lines)
  const check = failedCheck("", "a")
  const notRun: CheckOutcome = { ...check, exitCode: null, newFailures: [], notRun: "The user declined it." }
  for (const checks of [[], [notRun]]) {
    const later = folded([work, other], { ...given, checks })
    expect(later).toMatch(/- src\/a\.ts: \+\d+ -\d+, at lines/)
    expect(later).not.toContain("stop(30)")
  }
  expect(folded([work], given)).toContain("+  stop(30)")
  expect(folded([work, other], { ...given, checks: [check] })).toContain("30:   stop(30)")
})

it("keeps what a failing check expected, which stands at its end", () => {
  const source = numbered(60, (index) => `    source line ${index}`)
  const output = ["pytest: exit code 1 in 1 s", ...source, "E   IndexError: out of range", "totals: 1 failed"]
  const shown = folded([made()], { checks: [failedCheck(output.join("\n"), "test_a", "pytest")], budget: 1200 })
  expect(shown).toContain("pytest: exit code 1 in 1 s\n...\n")
  expect(shown).toContain("E   IndexError: out of range\ntotals: 1 failed\n```\n\n## Now")
})

it("shows the lines around what a failing check names, before other changed lines", () => {
  const output = "tsc: exit code 1 in 1 s\nsrc/a.ts:35:3 - error TS2304: Cannot find name 'step'."
  const check = failedCheck(output, "src/a.ts:35:3", "tsc")
  const files = [{ path: "src/a.ts", base: text, text: changed.replace("  step(50)", "  stop(50)") }]
  const shownWith = (one: CheckOutcome) => folded([], { files, budget: 1100, checks: [one] })
  expect(shownWith(check)).toContain("35:   step(35)")
  expect(shownWith({ ...check, exitCode: 0, newFailures: [] })).not.toContain("35:   step(35)")
})

it("shows small diffs whole beside what was read last, and no imports in the place of what was changed", () => {
  const source = [...numbered(9, (index) => `import { one${index} } from "./one${index}.ts"`), ...lines].join("\n")
  const long = linesOf("a long line, of which sixty fill all the room that there is for what was read last")
  const shownWith = (size: number, budget: number) => {
    const added = numbered(size, (index) => `  log("one of several lines that are new", ${index})`)
    const now = source.replace(/ {2}step\(([135]0)\)/g, (line) => [line, ...added].join("\n"))
    return folded([read(2, 1, 60, "src/b.ts", long)], {
      files: [{ path: "src/a.ts", base: source, text: now }],
      checks: [failedCheck("tsc: exit code 1 in 1 s\nerror", "error", "tsc")],
      budget
    })
  }
  const small = shownWith(2, 2800)
  expect(small).not.toContain("1: import")
  expect(small).toContain("no room for more")
  expect(shownWith(1, 6000)).toContain("1: import")
  expect(shownWith(5, 5500).split("\n+  log").length - 1).toBe(15)
})

it("shows 1, 3, 8, 20 or 40 lines around a change, as there is room", () => {
  const base = numbered(200, (index) => `  step(${index + 1})`).join("\n")
  const files = [changeOf(base, "  step(100)", "  stop(100)")]
  const shownWith = (budget: number): number => {
    const shown = folded([edit(1, "  step(100)", "  stop(100)", true)], { files, budget, checks: [failedCheck("")] })
    const current = shown.slice(shown.indexOf("## The changed places as they are now"))
    return [...current.matchAll(/^\d+: {3}st[eo]p/gm)].length
  }
  const sizes = Array.from({ length: 80 }, (_, index) => shownWith(300 + index * 60))
  const radii = [1, 3, 8, 20, 40].map((radius) => 1 + 2 * radius)
  expect([...new Set(sizes)].toSorted((a, b) => a - b)).toEqual([0, ...radii])
})

it.each([
  [900, "2 0 33 0 0"],
  [2400, "12 0 38 0 15"],
  [3600, "012 0 58 0 36"],
  [7000, "012 18 60 12 60"],
  [11_000, "012 18 60 15 60"]
])("shows of everything as much as there is room, what is open first: %i", (budget, parts) => {
  expect(partsAt(budget)).toBe(parts)
})
