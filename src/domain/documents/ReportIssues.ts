/**
 * Why a report is sent back, by what the program knows of the work: nothing was looked at, a change is still open, a check fails, or
 * the report says of checks what is not so.
 */
import { falseClaim } from "../checks/CheckClaims.ts"
import { type CheckOutcome, isFine } from "../checks/CheckOutcome.ts"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { type CallOutcome, ranWell } from "../tools/ToolCall.ts"
import { changeName, openChanges } from "../tools/OpenChanges.ts"

/** How often a report is sent back before it is accepted with its wrong links marked. */
const mostRejectedReports = 2

/** What a report says of something that it did not find. */
const notFound =
  /\b(?:(?:is|are|was|were) (?:not (?:known|found|given|defined|mentioned)|unknown)|not (?:be found|find)|nothing was found|no (?:information|mention|such))\b/i

/** What a report says was done. */
const claimed =
  /\b(?:chang|fix|edit|updat)\w*\b[^.!?]{0,20}\b(?:made|applied|done)\b|\b(?:I(?: have|'ve)?|has been|have been|was|were) (?:changed|updated|edited|fixed|modified|added|created|removed|renamed|written|implemented|refactored|replaced)\b/i

/** Why an answer about the project that looked at nothing is sent back once. */
export const notLooked = makeIssue(
  "report-unfounded",
  {},
  {
    what: "This is about the project, and no file was looked at.",
    how: "Search or read first, with a tool call. If you know it from what is shown above, link the file: `[<path>](<path>)`."
  }
)

/** What the program knows of the work that a report is about. */
export interface ReportedWork {
  readonly task: string
  /** True for the first answer, before any call, of work that has tools. */
  readonly isFirst: boolean
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** Issues of the answer before. */
  readonly issues: ReadonlyArray<Issue>
  readonly rejectedReports: number
}

/** Why a first answer cannot be the report: it says what only calls can show, and there was none. */
const unfounded = (report: string): string | undefined => {
  if (notFound.test(report)) return "The report says that something was not found, and nothing was looked at."
  return claimed.test(report) && !/\]\([^)\s]+\)/.test(report)
    ? "The report says that something was done, and nothing was asked for."
    : undefined
}

const checkFailed = ({ command, newFailures, stillFails }: CheckOutcome): string => {
  const still = stillFails?.replace(/[.:]?$/, ".")
  return still === undefined
    ? `The check \`${command}\` fails with the changes: ${newFailures.slice(0, 3).join("; ")}.`
    : `The check \`${command}\` fails. ${still}`
}

/** A new failure is worth two answers, and one from before the change is worth one. */
const isOpenCheck = (check: CheckOutcome, rejectedReports: number): boolean =>
  !isFine(check) && rejectedReports < (check.stillFails === undefined ? mostRejectedReports : 1)

/** Why the report is sent back; nothing when it may be held against the project. */
export const reportIssues = (report: string, work: ReportedWork): ReadonlyArray<Issue> => {
  const { checks, issues, outcomes, rejectedReports, task } = work
  const where = { section: "Result summary", task }
  const untrue = work.isFirst ? unfounded(report) : undefined
  if (untrue !== undefined) return [makeIssue("report-unfounded", where, { what: untrue })]
  const open = rejectedReports > 0 ? [] : openChanges(outcomes)
  if (open.length > 0) {
    return open.map(({ call }) =>
      makeIssue("change-open", where, { what: `${changeName(call)} failed, and nothing was changed in its place.` })
    )
  }
  if (rejectedReports >= mostRejectedReports) return []
  // A false claim is sent back once; after that it stands among the facts.
  const claim = falseClaim(report, checks, outcomes.some(ranWell))
  if (claim !== undefined && !issues.some(({ code }) => code === "check-claimed")) {
    const what = `The report says ${JSON.stringify(claim.claim)}, but ${claim.fact}.`
    return [makeIssue("check-claimed", where, { what })]
  }
  return checks
    .filter((check) => isOpenCheck(check, rejectedReports))
    .map((check) => makeIssue("check-failed", where, { what: checkFailed(check) }))
}
