/**
 * Counts the tests of a check. Finds the new tests that passed: a change declares their names, and the output lists
 * them as passed. XML reports give the counts or names that the output lacks. If a runner names no tests, only totals
 * are known.
 */
import * as Schema from "effect/Schema"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { languageOf } from "../files/Language.ts"
import { totalLines } from "./CheckOutput.ts"
import { namesOf } from "../text/Format.ts"
import type { CheckEnd } from "./CheckEnd.ts"
import { TestCounts, testCounts } from "./CheckTotals.ts"
import { readTestReports } from "./TestReports.ts"

export const RanTests = Schema.Struct({
  ...TestCounts.fields,
  /** The names of passed tests that the changes declare. */
  newTests: Schema.Array(Schema.String)
})
export type RanTests = typeof RanTests.Type

/** A test that the changes declare. */
export interface NewTest {
  /** Relative to the project. */
  readonly path: string
  readonly name: string
}

/**
 * Match the declarations of tests. A test in a script is a call with a quoted name. In other languages, it is a
 * function that its name or annotation marks as a test.
 */
const script =
  /(?<![\w$.])\.?(?!(?:describe|suite|context|group)\b)[A-Za-z_$][\w$.]*\s*\(\s*(["'`])((?:\\.|(?!\1)[^\\\n])+)\1\s*,/g
const marked = /@(?:\w+\.)?(?:Test|ParameterizedTest)\b[^;{]{0,1000}?\b(?:void|fun)\s+(?:`([^`\n]+)`|(\w+))\s*\(/g
const declarations: Readonly<Record<string, RegExp>> = {
  javascript: script,
  typescript: script,
  jsx: script,
  tsx: script,
  python: /^[ \t]*(?:async\s+)?def (test\w*)/gm,
  go: /^func ((?:Test|Fuzz|Example)\w+)\(/gm,
  rust: /#\[(?:\w+::)*test\b[^\]]{0,200}\](?:\s*#\[[^\]]{0,200}\]){0,20}\s*(?:pub\s+)?(?:async\s+)?fn (\w+)/g,
  java: marked,
  kotlin: marked
}

const declaredIn = (path: string, text: string | null): ReadonlySet<string> => {
  const pattern = declarations[languageOf(path)]
  const matches = pattern === undefined ? [] : [...(text ?? "").matchAll(pattern)]
  return new Set(matches.map((match) => (match[2] ?? match[1] ?? "").replaceAll(/\\(["'`])/g, "$1")))
}

/** The tests that the changes declare, except those that a changed file declared before. */
export const newTestsIn = (
  changed: ReadonlyArray<Pick<ProposedFile, "base" | "path" | "text">>
): ReadonlyArray<NewTest> => {
  const before = new Set(changed.flatMap(({ base, path }) => [...declaredIn(path, base)]))
  return changed.flatMap(({ path, text }) =>
    [...declaredIn(path, text)].filter((name) => !before.has(name)).map((name) => ({ path, name }))
  )
}

/** Lines with the name of a passed test, by runner. `path` is the test file, if given. */
const passedLines: ReadonlyArray<RegExp> = [
  /* vitest, jest, mocha, Node; TAP */
  /^\s*[✓✔√] (?:\|[^|]*\| )?(?:(?<path>\S+\.\w+) > )?(?<name>.+)$/u,
  /^\s*ok \d+ (?:- )?(?<name>(?!.*# (?:SKIP|TODO)\b).+)$/i,
  /* pytest, with -rp and -v */
  /^PASSED (?<path>[^:\s]+)::(?<name>.+)$/,
  /^(?<path>[^:\s]+\.py)::(?<name>\S.*?) PASSED\b/,
  /** unittest, cargo, Deno; unittest may print a description between name and result */
  /^(?:test )?(?<name>\S.*?)(?: \([\w.]+\))? \.\.\. (?:.* \.\.\. )?ok\b/,
  /* go, Gradle, Bun, .NET */
  /^\s*--- PASS: (?<name>\S+)/,
  /^(?<name>\S.* > .+) PASSED$/,
  /^\(pass\) (?<name>.+)$/,
  /^\s*Passed (?<name>[\w.]+\.\w+) \[/
]

/** The text after a name: times, counts, parameters. */
const behind = /(?:\s*(?:\(?\d+(?:\.\d+)?\s?m?s\)?|\[[^\]]*\]|\(\d+ tests?[^()]*\)|\(\)))+$/

/** A test's name without its suites. */
const lastPart = (name: string): string =>
  name
    .split(/ > | › |::|\/(?=\S)/)
    .at(-1)
    ?.trim() ?? ""

/** The maximum length of a line in characters. Longer lines are ignored. */
const longestLine = 1000

interface PassedTest {
  readonly path: string | undefined
  readonly name: string
  readonly shortName: string
}

/** Joins the two lines that unittest prints for a test with a description. */
const joinedLines = (output: string): string => output.replace(/^(test\w* \([\w.]+\))\n(.* \.\.\. ok)$/gm, "$1 ... $2")

const passedTests = (output: string): ReadonlyArray<PassedTest> =>
  joinedLines(output)
    .split("\n")
    .flatMap((line) => {
      if (line.length > longestLine) return []
      const matchedGroups = passedLines
        .map((pattern) => pattern.exec(line)?.groups)
        .find((groups) => groups !== undefined)
      if (matchedGroups === undefined) return []
      const name = (matchedGroups["name"] ?? "").replace(behind, "").trim()
      return [{ path: matchedGroups["path"], name, shortName: lastPart(name) }]
    })

/** Removes the extension of a path. Reports may name the class of a test in this way. */
const withoutEnding = (path: string): string => path.replace(/\.\w+$/, "")

const isAt = (path: string, place: string | undefined): boolean => path === place || path.endsWith(`/${place}`)

/** True if the output lists this test as passed. A test of the same name in another file does not count. */
const hasPassed = ({ name, path }: NewTest, passed: ReadonlyArray<PassedTest>): boolean => {
  const same = passed.filter((test) => test.name === name || test.shortName === name)
  const placed = same.filter((test) => test.path !== undefined)
  if (placed.length > 0) return placed.some((test) => isAt(path, test.path) || isAt(withoutEnding(path), test.path))
  return new Set(same.map((test) => test.name)).size === 1 && same.length === 1
}

/** Counts the result lines of go, which prints no totals. */
const goCounts = (output: string): TestCounts | undefined => {
  const count = (end: string): number => output.match(new RegExp(`^--- ${end}: `, "gm"))?.length ?? 0
  const counts = { passed: count("PASS"), failed: count("FAIL"), skipped: count("SKIP") }
  return counts.passed === 0 ? undefined : counts
}

/** The tests that ran, counted in the output or else in the reports. Undefined if neither counts tests. */
export const ranTests = (
  { output, reports = [] }: Pick<CheckEnd, "output" | "reports">,
  declared: ReadonlyArray<NewTest>
): RanTests | undefined => {
  const reported = readTestReports(reports)
  const counts = testCounts(totalLines(output)) ?? goCounts(output) ?? reported.counts
  if (counts === undefined) return undefined
  const named = declared.length === 0 ? [] : passedTests(output)
  const passed = named.length > 0 ? named : reported.passed.map(({ name, path }) => ({ name, path, shortName: name }))
  const names = declared.filter((test) => hasPassed(test, passed)).map(({ name }) => name)
  return { ...counts, newTests: [...new Set(names)].slice(0, counts.passed) }
}

/** The maximum number of new tests that are named, not only counted. */
const mostNamed = 5

/** For example `1 failed, 102 passed, 2 of them new: a; b`. */
export const ranText = ({ failed, newTests, passed, skipped }: RanTests): string =>
  [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    `${passed} passed`,
    ...(newTests.length === 0 ? [] : [`${newTests.length} of them new: ${namesOf(newTests, mostNamed)}`])
  ].join(", ")
