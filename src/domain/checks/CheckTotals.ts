/**
 * Whether something passed beside what fails, by the totals that runners print.
 */
import type { CheckFailure } from "./CheckOutput.ts"

const numberIn = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? 0)

const sumIn = (text: string, ...patterns: ReadonlyArray<RegExp>): number =>
  patterns.reduce((sum, pattern) => sum + numberIn(pattern, text), 0)

/** Totals that count all tests, and what to take from them: Maven and PHPUnit, rspec and minitest, Gradle, Swift. */
const countAll: ReadonlyArray<readonly [all: RegExp, others: ReadonlyArray<RegExp>]> = [
  [
    /^Tests(?: run)?: (\d+), (?:Assertions|Failures|Errors)/,
    [/Failures: (\d+)/, /Errors: (\d+)/, /(?:Skipped|Incomplete|Risky): (\d+)/]
  ],
  [
    /^(\d+) (?:examples?|runs|tests?), /,
    [/(\d+) failures?/, /(\d+) errors?/, /(\d+) (?:pending|skips|skipped|excluded)/]
  ],
  [/^(\d+) tests? completed/, [/(\d+) failed/, /(\d+) skipped/]],
  [/^Executed (\d+) tests?, with/, [/with (\d+) failures?/, /\((\d+) unexpected\)$/]]
]

const countsMore = (total: string): boolean =>
  countAll.some(([all, others]) => all.test(total) && numberIn(all, total) > sumIn(total, ...others))

/** The totals of unittest stand in two lines: `Ran 3 tests`, `FAILED (failures=1, errors=1)`. */
const ranMore = (totals: ReadonlyArray<string>): boolean => {
  const ran = totals.find((one) => /^Ran \d+ tests?\b/.test(one))
  const failed = totals.find((one) => one.startsWith("FAILED (")) ?? ""
  if (ran === undefined) return false
  return numberIn(/^Ran (\d+)/, ran) > sumIn(failed, /failures=(\d+)/, /errors=(\d+)/, /skipped=(\d+)/)
}

const passed =
  /\b[1-9]\d* (?:passed|passing)\b|^pass [1-9]|^[1-9]\d* pass\b|\bPassed: +[1-9]|^[1-9]\d* packages? ok$|^[1-9]\d*% tests passed/

/** Programs that look at everything and list all errors: what they do not name is without one. */
const surveys = /^\S.*: error TS\d+: |^\S+\.pyi?: (?:error: |[A-Z]+\d+ )/
const surveyTotals = /^\d+ problems? \(|^Found \d+ errors? in \d+ files?|^\d+ issues:/

/** True when a run that failed says that something else passed in it. */
export const passedBeside = (failures: ReadonlyArray<CheckFailure>, totals: ReadonlyArray<string>): boolean =>
  totals.some((one) => passed.test(one) || countsMore(one) || surveyTotals.test(one)) ||
  ranMore(totals) ||
  (failures.length > 0 && failures.every(({ name }) => surveys.test(name)))
