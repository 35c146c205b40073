/**
 * `npm test`: runs the short tests, then the checks of the code, and says at the end what was counted and what was skipped.
 * `npm run test:all` runs the tests in files `*.long.test.ts` as well. Words behind `npm test --` go to the test runner; files
 * that they name are run whatever their name.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testCounts } from "./print-test-counts.ts"

const all = "--all"
const words = process.argv.slice(2).filter((word) => word !== all)
const isShort = words.length === 0 && !process.argv.includes(all)

const variable = "TASK_CONDUCTOR_TEST_REPORT"
const folder = mkdtempSync(join(tmpdir(), "task-conductor-report-"))
const report = process.env[variable] ?? join(folder, "report.json")
const env = { ...process.env, [variable]: report, ...(isShort ? { TASK_CONDUCTOR_SHORT_TESTS: "yes" } : {}) }

/** Starts a program in this terminal; gives its exit code. */
const run = (program: string, ...args: ReadonlyArray<string>): number => {
  const { error, status } = spawnSync(program, args, { stdio: "inherit", env })
  if (error !== undefined) console.error(error.message)
  return status ?? 1
}

const code = run("vitest", "run", ...words) || run("npm", "run", "check")
for (const line of testCounts(report).lines) console.log(line)
rmSync(folder, { recursive: true, force: true })
process.exitCode = code
