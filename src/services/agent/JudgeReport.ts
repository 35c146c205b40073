/**
 * Judges the report of a turn: by what the program knows of the changes and the calls, then by the judge of the work, which holds
 * its links against the project. A report that is sent back too often is accepted with its wrong links marked.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { falseClaim } from "../../domain/checks/CheckClaims.ts"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { callSign } from "../../domain/documents/Refinement.ts"
import { type Issue, makeIssue } from "../../domain/findings/Issue.ts"
import { ranWell } from "../../domain/tools/ToolCall.ts"
import { changeOpen, openChanges } from "../pipeline/TaskChanges.ts"
import type { CheckedCalls, ParsedReply, TurnResults, Verdict } from "./Turn.ts"
import type { AgentWork, AnyWork, Session } from "./Session.ts"

/** How often a report is sent back before it is accepted with its wrong links marked. */
const mostRejectedReports = 2

/** What a report says of something that it did not find. */
const notFound =
  /\b(?:(?:is|are|was|were) (?:not (?:known|found|given|defined|mentioned)|unknown)|not (?:be found|find)|nothing was found|no (?:information|mention|such))\b/i

/** What a report says was done. */
const claimed =
  /\b(?:chang|fix|edit|updat)\w*\b[^.!?]{0,20}\b(?:made|applied|done)\b|\b(?:I(?: have|'ve)?|has been|have been|was|were) (?:changed|updated|edited|fixed|modified|added|created|removed|renamed|written|implemented|refactored|replaced)\b/i

/** True for a check that says nothing against the changes. */
export const isFine = (outcome: CheckOutcome): boolean => outcome.notRun !== undefined || passes(outcome)

/** Why a first answer cannot be the report: it says what only calls can show, and there was none. */
const unfounded = (report: string): string | undefined => {
  if (notFound.test(report)) return "The report says that something was not found, and nothing was looked at."
  return claimed.test(report) && !/\]\([^)\s]+\)/.test(report)
    ? "The report says that something was done, and nothing was asked for."
    : undefined
}

const checkFailed = ({ command, newFailures, stillFails }: CheckOutcome, task: string): Issue => {
  const still = stillFails?.replace(/[.:]?$/, ".")
  const what =
    still === undefined
      ? `The check \`${command}\` fails with the changes: ${newFailures.slice(0, 3).join("; ")}.`
      : `The check \`${command}\` fails. ${still}`
  return makeIssue("check-failed", { section: "Result summary", task }, { what })
}

/** A false claim of a report about checks; the report is sent back once for it, and then the claim stands among the facts. */
const claimIssues = ({ checks, issues, outcomes }: Session, task: string, report: string): ReadonlyArray<Issue> => {
  const claim = falseClaim(report, checks, outcomes.some(ranWell))
  if (claim === undefined || issues.some(({ code }) => code === "check-claimed")) return []
  const what = `The report says ${JSON.stringify(claim.claim)}, but ${claim.fact}.`
  return [makeIssue("check-claimed", { section: "Result summary", task }, { what })]
}

/** A new failure is worth two answers, and one from before the change is worth one. */
const isOpenCheck = (check: CheckOutcome, rejectedReports: number): boolean =>
  !isFine(check) && rejectedReports < (check.stillFails === undefined ? mostRejectedReports : 1)

/** Why a report is sent back, by what the program knows of the changes and of what was looked at. */
const knownIssues = (
  { assignment: { priorCalls, task, tools } }: AnyWork,
  session: Session,
  report: string
): ReadonlyArray<Issue> => {
  const { checks, outcomes, retries } = session
  const isFirst = retries.answers.size === 0 && outcomes.length + priorCalls.length === 0 && tools.length > 0
  const what = isFirst ? unfounded(report) : undefined
  if (what !== undefined) return [makeIssue("report-unfounded", { section: "Result summary", task }, { what })]
  const open = retries.rejectedReports > 0 ? [] : openChanges(outcomes)
  if (open.length > 0) return open.map((outcome) => changeOpen(outcome, task))
  if (retries.rejectedReports >= mostRejectedReports) return []
  const failing = checks.filter((check) => isOpenCheck(check, retries.rejectedReports))
  return [...failing.map((check) => checkFailed(check, task)), ...claimIssues(session, task, report)]
}

const judgeText = Effect.fnUntraced(function* <A, E>(
  work: AgentWork<A, E>,
  session: Session,
  report: string,
  isLast: boolean
) {
  const known = isLast ? [] : knownIssues(work, session, report)
  if (known.length > 0) return { accepted: Option.none<A>(), issues: known, repairs: [] }
  const { fallback, issues, repairs, value } = yield* work.judge(report, session)
  if (issues.length === 0 && Option.isSome(value)) return { accepted: value, issues, repairs }
  return fallback !== undefined && (isLast || session.retries.rejectedReports > 0)
    ? { accepted: Option.some(fallback.value), issues: [], repairs: fallback.repairs }
    : { accepted: Option.none<A>(), issues, repairs: [] }
})

/** Issues of the calls and changes of a reply. A call of the interface gets its issues in its own answer. */
export const replyIssues = ({ native, turn }: ParsedReply, checked: CheckedCalls): ReadonlyArray<Issue> => {
  const nativeSigns = new Set(native.map(({ call }) => callSign(call)))
  return [
    ...turn.issues,
    ...checked.issues,
    ...checked.calls.flatMap(({ issues, wanted }) => (nativeSigns.has(callSign(wanted)) ? [] : issues)),
    ...(native.length === 0 ? checked.tooMany : [])
  ]
}

/** Judges a reply; its report is judged when nothing else is open. */
export const judgeReport = Effect.fnUntraced(function* <A, E>(
  work: AgentWork<A, E>,
  session: Session,
  {
    checked,
    left,
    parsed,
    results
  }: {
    readonly checked: CheckedCalls
    readonly left: number
    readonly parsed: ParsedReply
    readonly results: TurnResults
  }
): Effect.fn.Return<Verdict<A>> {
  const { calls, repairs: repaired, report } = parsed.turn
  const { checks, hasChanged, outcomes, remaining } = results
  const problems = replyIssues(parsed, checked)
  const repairs = [...repaired, ...checked.repairs, ...checked.calls.flatMap((call) => call.repairs)]
  const isOpen = problems.length > 0 || outcomes.some(({ result }) => !result.success)
  // A report beside changes was written without knowing what the program found about them.
  const isEarly = hasChanged && left > 0 && (remaining.length > 0 || !checks.every(isFine))
  if (report === undefined || isOpen || isEarly || calls.length > 0) {
    return { accepted: Option.none(), issues: problems, repairs, isSentBack: false, isOpen }
  }
  const isLast = left === 0 && work.assignment.kind === "message"
  const judged = yield* judgeText(work, session, report, isLast)
  return {
    accepted: judged.accepted,
    issues: [...problems, ...judged.issues],
    repairs: [...repairs, ...judged.repairs],
    isSentBack: Option.isNone(judged.accepted),
    isOpen
  }
})
