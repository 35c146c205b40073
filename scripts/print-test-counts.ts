/**
 * Prints test counts from the runner's JSON report: skipped tests by reason, then `N passed, N failed, N skipped`. A
 * file that fails to load is one failure. Exits with 1 unless all tests ran and passed.
 */
import { existsSync, readFileSync } from "node:fs"

interface Result {
  readonly status: string
  readonly meta?: { readonly missing?: string }
}

interface Report {
  readonly testResults: ReadonlyArray<{ readonly status: string; readonly assertionResults: ReadonlyArray<Result> }>
}

const readReport = (file: string): Report => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  return text === "" ? { testResults: [] } : (JSON.parse(text) as Report)
}

/** The lines to print, and whether all tests ran and passed. */
export const testCounts = (file: string): { readonly lines: ReadonlyArray<string>; readonly isComplete: boolean } => {
  const { testResults } = readReport(file)
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const [passed = 0, failed = 0] = ["passed", "failed"].map(
    (one) => results.filter(({ status }) => status === one).length
  )
  const broken = testResults.filter(
    ({ assertionResults, status }) => status === "failed" && assertionResults.length === 0
  )
  const skipped = results.filter(({ status }) => status !== "passed" && status !== "failed")
  const reasons = Map.groupBy(skipped, ({ meta }) => meta?.missing ?? "No reason is given.")
  const failures = failed + broken.length
  return {
    lines: [
      ...[...reasons].map(
        ([reason, { length }]) => `${length} ${length === 1 ? "test was" : "tests were"} skipped: ${reason}`
      ),
      `${passed} passed, ${failures} failed, ${skipped.length} skipped`
    ],
    isComplete: passed > 0 && failures + skipped.length === 0
  }
}

if (import.meta.main) {
  const { isComplete, lines } = testCounts(process.argv[2] ?? "")
  for (const line of lines) console.log(line)
  if (!isComplete) process.exitCode = 1
}
