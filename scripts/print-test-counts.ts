/**
 * Prints `N passed, N failed` from the JSON report of the test runner. A file that could not be loaded counts as one
 * failure. Called by .ci/run with the path of the report.
 */
import { readFileSync } from "node:fs"

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{ readonly status: string; readonly assertionResults: ReadonlyArray<unknown> }>
}

const text = readFileSync(process.argv[2] ?? "", "utf8")
const report: Report =
  text === "" ? { numPassedTests: 0, numFailedTests: 0, testResults: [] } : (JSON.parse(text) as Report)
const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)

console.log(`${report.numPassedTests} passed, ${report.numFailedTests + broken.length} failed`)
