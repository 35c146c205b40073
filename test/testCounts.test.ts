import { assert, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testCounts } from "../scripts/print-test-counts.ts"

const passed = { status: "passed", meta: {} }
const failed = { status: "failed", meta: {} }
const skipped = (missing?: string) => ({ status: "skipped", meta: missing === undefined ? {} : { missing } })

/** What is counted in a report of one file. */
const countsOf = (...assertionResults: ReadonlyArray<object>) => {
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-counts-"))
  try {
    const file = join(folder, "report.json")
    const status = assertionResults.includes(failed) || assertionResults.length === 0 ? "failed" : "passed"
    writeFileSync(file, JSON.stringify({ testResults: [{ status, assertionResults }] }))
    return testCounts(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it("are complete when all passed", () => {
  assert.deepStrictEqual(countsOf(passed, passed), { lines: ["2 passed, 0 failed, 0 skipped"], isComplete: true })
})

it("say how many tests were skipped for which reason, and are not complete", () => {
  assert.deepStrictEqual(countsOf(skipped("A."), passed, skipped("B."), skipped("A."), skipped()), {
    lines: [
      "2 tests were skipped: A.",
      "1 test was skipped: B.",
      "1 test was skipped: No reason is given.",
      "1 passed, 0 failed, 4 skipped"
    ],
    isComplete: false
  })
})

it("are not complete when a test failed, a file could not be loaded, or there is no report", () => {
  assert.deepStrictEqual(countsOf(passed, failed), { lines: ["1 passed, 1 failed, 0 skipped"], isComplete: false })
  assert.deepStrictEqual(countsOf(), { lines: ["0 passed, 1 failed, 0 skipped"], isComplete: false })
  assert.deepStrictEqual(testCounts("no such file"), {
    lines: ["0 passed, 0 failed, 0 skipped"],
    isComplete: false
  })
})
