/**
 * `npm test`: runs the tests, then the checks of the code, and says at the end what was counted and what was skipped. Words
 * behind `npm test --` go to the test runner.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testCounts } from "./print-test-counts.ts"

const variable = "TASK_CONDUCTOR_TEST_REPORT"
const folder = mkdtempSync(join(tmpdir(), "task-conductor-report-"))
const report = process.env[variable] ?? join(folder, "report.json")

/** Starts a program in this terminal; gives its exit code. */
const run = (program: string, ...words: ReadonlyArray<string>): number => {
  const { error, status } = spawnSync(program, words, { stdio: "inherit", env: { ...process.env, [variable]: report } })
  if (error !== undefined) console.error(error.message)
  return status ?? 1
}

const code = run("vitest", "run", ...process.argv.slice(2)) || run("npm", "run", "check")
for (const line of testCounts(report).lines) console.log(line)
rmSync(folder, { recursive: true, force: true })
process.exitCode = code
