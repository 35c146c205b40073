/**
 * Decides from the facts of the work why a report is rejected. The model looked at nothing, a change is open, a check
 * fails, or the report makes a false claim about checks.
 */
import { falseClaim } from "../checks/CheckClaims.ts"
import { type CheckOutcome, isFine } from "../checks/CheckOutcome.ts"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { type CallOutcome, ranWell } from "../tools/ToolCall.ts"
import { changeName, openChanges } from "../tools/OpenChanges.ts"

/** How often a report is rejected. After that it is accepted, and its wrong links are marked. */
const mostRejectedReports = 2

/** Phrases that say something is missing. */
const notFound =
  /\b(?:(?:is|are|was|were) (?:not (?:known|found|given|defined|mentioned)|unknown)|not (?:be found|find)|nothing was found|no (?:information|mention|such))\b/i

/** Phrases that say a change is finished. */
const claimed =
  /\b(?:chang|fix|edit|updat)\w*\b[^.!?]{0,20}\b(?:made|applied|done)\b|\b(?:I(?: have|'ve)?|has been|have been|was|were) (?:changed|updated|edited|fixed|modified|added|created|removed|renamed|written|implemented|refactored|replaced)\b/i

/** The issue of an answer about the project by a model that has made no call. It is raised only once. */
export const notLooked = makeIssue(
  "report-unfounded",
  {},
  {
    what: "This is about the project, and no file was looked at.",
    how: "Search or read first, with a tool call. If the text above shows it, link the file: `[<path>](<path>)`."
  }
)

/** Facts of the work against which the program checks a report. */
export interface ReportedWork {
  readonly task: string
  /** True for the first answer of work with tools, before any call. */
  readonly isFirst: boolean
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The issues of the previous answer. */
  readonly issues: ReadonlyArray<Issue>
  readonly rejectedReports: number
}

/** The reason why a first answer cannot be the report: it claims a fact that only a call can show. */
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
 * True for a failing check that still rejects the report. A new failure rejects two reports. A failure from before the
 * change rejects one report.
 */
const isOpenCheck = (check: CheckOutcome, rejectedReports: number): boolean =>
  !isFine(check) && rejectedReports < (check.stillFails === undefined ? mostRejectedReports : 1)

/** The issues that reject the report at once. If there are none, the report may be judged against the project. */
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
  // A false claim rejects only one report. If the model repeats the claim, the facts at the end list it.
  const claim = falseClaim(report, checks, outcomes.some(ranWell))
  if (claim !== undefined && !issues.some(({ code }) => code === "check-claimed")) {
    const what = `The report says ${JSON.stringify(claim.claim)}, but ${claim.fact}.`
    return [makeIssue("check-claimed", where, { what })]
  }
  return checks
    .filter((check) => isOpenCheck(check, rejectedReports))
    .map((check) => makeIssue("check-failed", where, { what: checkFailed(check) }))
}
