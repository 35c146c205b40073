/**
 * Judges the report of a turn. The program first judges it by the changes and calls of the work. `AgentWork.judge` then
 * compares the links of the report with the project. A report that was sent back too often is accepted, and its wrong
 * links are marked.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isFine } from "../../domain/checks/CheckOutcome.ts"
import { answerIssues } from "../../domain/documents/CheckedCalls.ts"
import { notLooked, reportIssues } from "../../domain/documents/ReportIssues.ts"
import type { AgentWork, Session } from "./Session.ts"
import type { FinishedTurn, ReportVerdict } from "./Turn.ts"

/** Judges only the text of the report. In the last turn, any usable report is accepted. */
const judgeText = Effect.fnUntraced(function* <A, E>(
  work: AgentWork<A, E>,
  session: Session,
  report: string,
  isLast: boolean
) {
  const { earlierOutcomes, task, tools } = work.assignment
  const { checks, issues: issuesBefore, outcomes, retries } = session
  const { answers, rejectedReports, unfoundedReports } = retries
  const isUnfounded = yield* work.isUnfounded(report, session)
  const isFirst = answers.size === 0 && outcomes.length + earlierOutcomes.length === 0 && tools.length > 0
  const factual = reportIssues(report, { task, isFirst, outcomes, checks, issues: issuesBefore, rejectedReports })
  const objections = factual.length > 0 ? factual : isUnfounded && unfoundedReports === 0 ? [notLooked] : []
  if (!isLast && objections.length > 0) {
    return { accepted: Option.none<A>(), issues: objections, repairs: [], isUnfounded }
  }
  const { fallback, issues, repairs, value } = yield* work.judge(report, session)
  if (issues.length === 0 && Option.isSome(value)) return { accepted: value, issues, repairs, isUnfounded }
  return fallback !== undefined && (isLast || rejectedReports > 0)
    ? { accepted: Option.some(fallback.value), issues: [], repairs: fallback.repairs, isUnfounded }
    : { accepted: Option.none<A>(), issues, repairs: [], isUnfounded: false }
})

/** Judges an answer. Its report is judged only if the answer has no issues and no failed calls. */
export const judgeReport = Effect.fnUntraced(function* <A, E>({
  answer,
  checked,
  answersLeft,
  results,
  session,
  work
}: FinishedTurn<A, E>): Effect.fn.Return<ReportVerdict<A>> {
  const { calls, repairs: repaired, report } = answer.content
  const { checks, folderInstructions, hasChanged, outcomes, remaining } = results
  const problems = answerIssues(answer, checked)
  const repairs = [...repaired, ...checked.repairs, ...checked.calls.flatMap((call) => call.repairs)]
  const isOpen = problems.length > 0 || outcomes.some(({ result }) => !result.success)
  // True if one answer holds both changes and the report. The model then wrote the report before it saw what the
  // program found out about these changes.
  const isEarly =
    hasChanged && answersLeft > 0 && (remaining.length > 0 || !checks.every(isFine) || folderInstructions !== "")
  if (report === undefined || isOpen || isEarly || calls.length > 0) {
    return { accepted: Option.none(), issues: problems, repairs, isSentBack: false, isUnfounded: false, isOpen }
  }
  const isLast = answersLeft === 0 && work.assignment.kind === "message"
  const judged = yield* judgeText(work, session, report, isLast)
  return {
    ...judged,
    repairs: [...repairs, ...judged.repairs],
    isSentBack: Option.isNone(judged.accepted),
    isOpen
  }
})
