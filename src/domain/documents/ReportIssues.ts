/**
 * Decides from the facts of the work whether a report is rejected. Reasons: the model looked at nothing, a failed
 * change was not repaired, a check fails, or the report makes a false claim about checks.
 */
import { falseClaim } from "../checks/CheckClaims.ts"
import { type CheckOutcome, isFine } from "../checks/CheckOutcome.ts"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { type CallOutcome, ranWell } from "../tools/ToolCall.ts"
import { changeName, openChanges } from "../tools/OpenChanges.ts"

/** After this many rejections, a report is accepted and its wrong links are marked. */
const mostRejectedReports = 2

/** Phrases that say something is missing. */
const notFound =
  /\b(?:(?:is|are|was|were) (?:not (?:known|found|given|defined|mentioned)|unknown)|not (?:be found|find)|nothing was found|no (?:information|mention|such))\b/i

/** Phrases that say a change is finished. */
const claimed =
  /\b(?:chang|fix|edit|updat)\w*\b[^.!?]{0,20}\b(?:made|applied|done)\b|\b(?:I(?: have|'ve)?|has been|have been|was|were) (?:changed|updated|edited|fixed|modified|added|created|removed|renamed|written|implemented|refactored|replaced)\b/i

/** The issue of an answer about the project if the model has made no call. Raised only once. */
export const notLooked = makeIssue(
  "report-unfounded",
  {},
  {
    what: "This is about the project, and no file was looked at.",
    how: "Search or read first, with a tool call. If the text above shows it, link the file: `[<path>](<path>)`."
  }
)

/** The facts of the work against which a report is checked. */
export interface ReportedWork {
  readonly task: string
  /** True for the first answer of the work, if the model has tools and has made no call. */
  readonly isFirst: boolean
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The issues of the answer before this one. */
  readonly issues: ReadonlyArray<Issue>
  readonly rejectedReports: number
}

/** Why the first answer cannot be the report: it claims something that only a call can show. */
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

/**
 * True if this failing check still rejects the report. A check with a new failure rejects two reports; a check that
 * failed before the changes rejects one.
 */
const isOpenCheck = (check: CheckOutcome, rejectedReports: number): boolean =>
  !isFine(check) && rejectedReports < (check.stillFails === undefined ? mostRejectedReports : 1)

/**
 * The issues that reject the report at once. If there are none, the program compares the links of the report with the
 * project.
 */
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
  // A false claim rejects only one report. If the next report repeats it, the claim appears in the facts at the end of
  // the work.
  const claim = falseClaim(report, checks, outcomes.some(ranWell))
  if (claim !== undefined && !issues.some(({ code }) => code === "check-claimed")) {
    const what = `The report says ${JSON.stringify(claim.claim)}, but ${claim.fact}.`
    return [makeIssue("check-claimed", where, { what })]
  }
  return checks
    .filter((check) => isOpenCheck(check, rejectedReports))
    .map((check) => makeIssue("check-failed", where, { what: checkFailed(check) }))
}
