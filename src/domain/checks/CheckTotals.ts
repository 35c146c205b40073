/** Counts tests from the totals that runners print, and tells whether any test passed in a failed run. */
import * as Schema from "effect/Schema"

export const TestCounts = Schema.Struct({ passed: Schema.Int, failed: Schema.Int, skipped: Schema.Int })
export type TestCounts = typeof TestCounts.Type

const sumIn = (text: string, patterns: ReadonlyArray<RegExp>): number =>
  patterns.reduce((sum, pattern) => sum + Number(pattern.exec(text)?.[1] ?? 0), 0)

/**
 * Patterns for the number of passed tests. The first pattern is for vitest, jest, pytest, cargo, Deno and mocha. The
 * others are for Node, Bun and .NET.
 */
const passed = [/\b(\d+) (?:passed|passing)\b/, /^pass (\d+)/, /^(\d+) pass$/, /\bPassed: +(\d+)/]
const failed = [
  /\b(\d+) (?:failed|failing|failures?|errors?)\b/,
  /^(?:fail|cancelled) (\d+)/,
  /^(\d+) fail$/,
  /(\d+) tests failed/,
  /\bFailed: +(\d+)/,
  /Failures: (\d+)/,
  /Errors: (\d+)/
]
const skipped = [
  /\b(\d+) (?:tests? )?(?:skipped|pending|ignored|todo|skips|excluded)\b/,
  /^skipped (\d+)/,
  /^(\d+) skip$/,
  /(?:Skipped|Incomplete|Risky): +(\d+)/
]

/** XCTest prints a total for each suite, also for suites of suites. */
const executed = /^Executed (\d+) tests?, with/

/** The number of all tests in totals of Maven, PHPUnit, rspec, minitest, ExUnit, Gradle, Swift, unittest and CTest. */
const all = [
  /^Tests(?: run)?: (\d+), (?:Assertions|Failures|Errors)/,
  /^(\d+) (?:examples?|runs|tests?), /,
  /^(\d+) tests? completed/,
  executed,
  /^Ran (\d+) tests?\b/,
  /^\d+% tests passed, .* out of (\d+)/
]

/** Totals that count something other than tests, such as files, problems and lint errors. */
const others = /^(?:Test Files|Test Suites)\b|^\d+ errors?, \d+ warnings?|^\d+ problems? \(|^Found \d+|^\d+ issues:/

/** Totals that count errors and failures separately. The matched group is the number of errors. */
const errorsBeside = /\bfailures?, (\d+) errors?\b|\bfailed, .*?\b(\d+) errors?\b/

const countOf = (total: string): TestCounts => {
  if (others.test(total)) return { passed: 0, failed: 0, skipped: 0 }
  /** Unittest prints a second total that corrects the first, such as `FAILED (failures=1, errors=1)`. */
  if (/^(?:FAILED|OK) \(/.test(total)) {
    const bad = sumIn(total, [/(?<!expected )failures=(\d+)/, /errors=(\d+)/, /unexpected successes=(\d+)/])
    const left = sumIn(total, [/skipped=(\d+)/, /expected failures=(\d+)/])
    return { passed: -bad - left, failed: bad, skipped: left }
  }
  const beside = errorsBeside.exec(total)
  const bad = sumIn(total, failed) + Number(beside?.[1] ?? beside?.[2] ?? 0)
  const left = sumIn(total, skipped)
  const whole = all.some((pattern) => pattern.test(total)) ? sumIn(total, all) - bad - left : sumIn(total, passed)
  return { passed: whole, failed: bad, skipped: left }
}

/** Removes the totals of XCTest except that of the outermost suite, which has the most tests and ends last. */
const outermost = (totals: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sizes = totals.map((total) => Number(executed.exec(total)?.[1] ?? -1))
  const largest = sizes.lastIndexOf(Math.max(...sizes))
  return totals.filter((_, index) => index === largest || sizes[index] === -1)
}

/** The sum of these totals; undefined if no total counts tests. */
export const testCounts = (totals: ReadonlyArray<string>): TestCounts | undefined => {
  const counts = outermost(totals).map(countOf)
  const sum = (of: (one: TestCounts) => number): number =>
    Math.max(
      0,
      counts.reduce((total, one) => total + of(one), 0)
    )
  const together = {
    passed: sum((one) => one.passed),
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped)
  }
  return together.passed + together.failed + together.skipped === 0 ? undefined : together
}

/** Errors of programs that check every file and list all errors. A file without a listed error passed. */
const surveys = /^\S.*: error TS\d+: |^\S+\.pyi?: (?:error: |[A-Z]+\d+ )/
const surveyTotals = /^\d+ problems? \(|^Found \d+ errors? in \d+ files?|^\d+ issues:/

/** Totals of files, suites and packages that passed completely. */
const groups = /^(?:Test Files|Test Suites)\b.*\b[1-9]\d* passed|^[1-9]\d* packages? ok$/

/** True if a failed run reports that something passed. */
export const passedBeside = (
  failures: ReadonlyArray<{ readonly name: string }>,
  totals: ReadonlyArray<string>
): boolean =>
  (testCounts(totals)?.passed ?? 0) > 0 ||
  totals.some((one) => groups.test(one) || surveyTotals.test(one)) ||
  (failures.length > 0 && failures.every(({ name }) => surveys.test(name)))
