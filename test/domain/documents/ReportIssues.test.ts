import { assert, describe, it } from "@effect/vitest"
import { type CheckOutcome, outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { type ReportedWork, reportIssues } from "../../../src/domain/documents/ReportIssues.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const failing = outcomeOf({ argv: ["npm", "test"], kind: "tests" }, { exitCode: 1, output: "--- FAIL: a", seconds: 1 })
const check = (more: Partial<CheckOutcome> = {}): CheckOutcome => ({ ...failing, ...more })

/** The codes of the issues of a report, about work that has looked at something. */
const codes = (report: string, more: Partial<ReportedWork> = {}): ReadonlyArray<string> =>
  reportIssues(report, {
    task: "Edit 1",
    isFirst: false,
    outcomes: [gave("read_file", { path: "a.ts" }, "text", "turn-1/call-1")],
    checks: [],
    issues: [],
    rejectedReports: 0,
    ...more
  }).map(({ code }) => code)

/** How many issues a report has because of a check, before it was sent back, and after each time. */
const counts = (outcome: CheckOutcome) =>
  [0, 1, 2].map((rejectedReports) => codes("It is done.", { checks: [outcome], rejectedReports }).length)

it.each([
  ["The limit was changed.", true, ["report-unfounded"]],
  ["The limit is not defined.", true, ["report-unfounded"]],
  ["The limit was changed.", false, []],
  ["The limit was changed in [a](a.ts).", true, []],
  ["The limit is 5.", true, []]
])("a first answer is no report when it says what only calls can show: %s %s", (report, isFirst, found) => {
  assert.deepStrictEqual(codes(report, { isFirst }), found)
})

describe("a report", () => {
  it("is sent back once for a change that is still open", () => {
    const missed = failed("edit_file", { path: "a.ts", old_text: "a", new_text: "b" }, "not_found", "No such text.")
    assert.deepStrictEqual(codes("It is done.", { outcomes: [missed] }), ["change-open"])
    assert.deepStrictEqual(codes("It is done.", { outcomes: [missed], rejectedReports: 1 }), [])
  })

  it("is sent back twice for a new failure of a check, and once for one from before the changes", () => {
    assert.deepStrictEqual(counts(check()), [1, 1, 0])
    assert.deepStrictEqual(counts(check({ newFailures: [], stillFails: "It fails as before" })), [1, 0, 0])
    assert.deepStrictEqual(counts(check({ exitCode: 0, failures: [], newFailures: [] })), [0, 0, 0])
    assert.deepStrictEqual(counts(check({ exitCode: null, notRun: "It was not permitted." })), [0, 0, 0])
  })

  it("is sent back for what it says of checks before what they say themselves, and only once", () => {
    const before = [makeIssue("check-claimed", {}, { what: "The report says otherwise." })]
    assert.deepStrictEqual(codes("All tests pass.", { checks: [check()] }), ["check-claimed"])
    assert.deepStrictEqual(codes("All tests pass.", { checks: [check()], issues: before }), ["check-failed"])
  })
})
