/**
 * What ran in a check, as far as its runner says it: how many tests, and which of them are new. A test is new when a change declares its
 * name, and it has run when the output names it among those that passed. Of a runner that names no tests, only totals are told.
 */
import * as Schema from "effect/Schema"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { languageOf } from "../files/Language.ts"
import { totalLines } from "./CheckOutput.ts"
import { namesOf } from "../text/Format.ts"
import { TestCounts, testCounts } from "./CheckTotals.ts"

export const RanTests = Schema.Struct({
  ...TestCounts.fields,
  /** The names of the tests that the changes declare and that passed. */
  newTests: Schema.Array(Schema.String)
})
export type RanTests = typeof RanTests.Type

/** A test that changes declare. */
export interface NewTest {
  /** Relative to the project. */
  readonly path: string
  readonly name: string
}

/** How tests are declared: with a name in quotes in scripts, as functions with a usual name or mark elsewhere. */
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

/** The tests that changes declare and that none of the changed files declared before. */
export const newTestsIn = (
  changed: ReadonlyArray<Pick<ProposedFile, "base" | "path" | "text">>
): ReadonlyArray<NewTest> => {
  const before = new Set(changed.flatMap(({ base, path }) => [...declaredIn(path, base)]))
  return changed.flatMap(({ path, text }) =>
    [...declaredIn(path, text)].filter((name) => !before.has(name)).map((name) => ({ path, name }))
  )
}

/** Lines that name a test that passed, by runner; `path` where the line says in which file it is. */
const passedLines: ReadonlyArray<RegExp> = [
  /* vitest, jest, mocha, Node; TAP */
  /^\s*[✓✔√] (?:\|[^|]*\| )?(?:(?<path>\S+\.\w+) > )?(?<name>.+)$/u,
  /^\s*ok \d+ (?:- )?(?<name>(?!.*# (?:SKIP|TODO)\b).+)$/i,
  /* pytest, with -rp and -v */
  /^PASSED (?<path>[^:\s]+)::(?<name>.+)$/,
  /^(?<path>[^:\s]+\.py)::(?<name>\S.*?) PASSED\b/,
  /* unittest, cargo, Deno; the words of a test of unittest stand between its name and its end */
  /^(?:test )?(?<name>\S.*?)(?: \([\w.]+\))? \.\.\. (?:.* \.\.\. )?ok\b/,
  /* go, Gradle, Bun, .NET */
  /^\s*--- PASS: (?<name>\S+)/,
  /^(?<name>\S.* > .+) PASSED$/,
  /^\(pass\) (?<name>.+)$/,
  /^\s*Passed (?<name>[\w.]+\.\w+) \[/
]

/** What stands behind a name: times, counts, parameters. */
const behind = /(?:\s*(?:\(?\d+(?:\.\d+)?\s?m?s\)?|\[[^\]]*\]|\(\d+ tests?[^()]*\)|\(\)))+$/

/** The last part of a name with the names of its suites. */
const lastPart = (name: string): string =>
  name
    .split(/ > | › |::|\/(?=\S)/)
    .at(-1)
    ?.trim() ?? ""

/** Longer lines name no test. */
const longestLine = 1000

interface PassedTest {
  readonly path: string | undefined
  readonly name: string
  readonly shortName: string
}

/** The second line of a test of unittest that says what it does. */
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

/** True when the output names this test, and no other one of the same name, among those that passed. */
const hasPassed = ({ name, path }: NewTest, passed: ReadonlyArray<PassedTest>): boolean => {
  const same = passed.filter((test) => test.name === name || test.shortName === name)
  const placed = same.filter((test) => test.path !== undefined)
  if (placed.length > 0) return placed.some((test) => path === test.path || path.endsWith(`/${test.path}`))
  return new Set(same.map((test) => test.name)).size === 1 && same.length === 1
}

/** The tests of Go have no totals: those of packages are named, and their parts with them. */
const goCounts = (output: string): TestCounts | undefined => {
  const count = (end: string): number => output.match(new RegExp(`^--- ${end}: `, "gm"))?.length ?? 0
  const counts = { passed: count("PASS"), failed: count("FAIL"), skipped: count("SKIP") }
  return counts.passed === 0 ? undefined : counts
}

/** What an output says of the tests that ran; nothing when it counts none. */
export const ranTests = (output: string, declared: ReadonlyArray<NewTest>): RanTests | undefined => {
  const counts = testCounts(totalLines(output)) ?? goCounts(output)
  if (counts === undefined) return undefined
  const passed = declared.length === 0 ? [] : passedTests(output)
  const names = declared.filter((test) => hasPassed(test, passed)).map(({ name }) => name)
  return { ...counts, newTests: [...new Set(names)].slice(0, counts.passed) }
}

/** More new tests are counted. */
const mostNamed = 5

/** `1 failed, 102 passed, 2 of them new: a; b` */
export const ranText = ({ failed, newTests, passed, skipped }: RanTests): string =>
  [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    `${passed} passed`,
    ...(newTests.length === 0 ? [] : [`${newTests.length} of them new: ${namesOf(newTests, mostNamed)}`])
  ].join(", ")
