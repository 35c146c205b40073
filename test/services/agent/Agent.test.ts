/**
 * How a report ends the turns of a task, or is sent back: while a check fails, when it says of checks what is not so, and beside
 * the last change. The checks are real commands on a real project.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { statusOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import type { EventLog } from "../../support/EventLog.ts"
import type { OpenStages } from "../../support/OpenStages.ts"
import { open as openOnCopy, order } from "../../support/SelfReviewWork.ts"
import { resultSaying } from "../../support/TestRun.ts"
import { liveTest } from "../../support/liveTest.ts"

/** A check that names what fails as a runner of tests does. */
const keeps = `import { readFileSync } from "node:fs"
const [, rate] = /rateLimit = (\\d+)/.exec(readFileSync("config.mjs", "utf8"))
console.log(rate === "100" ? "ok 1 - rate limit" : "not ok 1 - rate limit")
console.log("ok 2 - other\\n# tests 2\\n# pass " + (rate === "100" ? 2 : 1))
process.exit(rate === "100" ? 0 : 1)
`
const files = {
  "config.mjs": "export const rateLimit = 100\n",
  "use.mjs": 'import { rateLimit } from "./config.mjs"\nexport const most = () => rateLimit\n',
  "keeps.mjs": keeps,
  "missing.mjs": 'import "not-installed"\n'
}
const limit = (from: number, to: number): string =>
  `config.mjs\n<<<<<<< OLD\nexport const rateLimit = ${from}\n=======\nexport const rateLimit = ${to}\n>>>>>>> NEW\n`

const open = (check: string, answers: NonNullable<OpenStages["answers"]>) =>
  Effect.map(openOnCopy(answers, { files, settings: { checks: [[process.execPath, check]] } }), (stages) => {
    const task = plainTask("Edit 1", "edit-files", "Set rateLimit.", "The change.")
    return { ...stages, work: stages.taskAgent.work({ ...order, task }) }
  })

const rejectedIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []))

/** A check, a change, the report on it, with what issues it was sent back before it was taken, and how the check ended. */
const rows = [
  [
    "a check fails that passed before",
    "keeps.mjs",
    limit(100, 150),
    "The limit is set.",
    ["check-failed", "check-failed"],
    "failed"
  ],
  [
    "a check is said to pass that proves nothing",
    "missing.mjs",
    limit(100, 200),
    "The check passed.",
    ["check-claimed"],
    "not checked"
  ]
] as const

describe("a report", () => {
  for (const [what, check, change, report, rejected, status] of rows) {
    liveTest(`is taken after ${rejected.length} rejections where ${what}`, function* () {
      const reports = [...rejected, "taken"].map(() => resultSaying(report))
      const { log, messages, work } = yield* open(check, [change, ...reports])
      const { checks = [], result } = yield* work
      expect(rejectedIn(log)).toEqual(rejected)
      expect(checks.map(statusOf)).toEqual([status])
      expect([messages.length, result?.summary]).toEqual([rejected.length + 2, report])
    })
  }
})
