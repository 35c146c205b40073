/**
 * Decides whether a report ends the work. A hook may question one report, which becomes the candidate
 * (CandidateReport.ts). The work ends with the candidate unless a better report follows.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type CandidateReport,
  isTested,
  isUnchanged,
  mayStay,
  takenBack
} from "../../domain/documents/CandidateReport.ts"
import { fromHost } from "../../domain/models/ConversationMessage.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import type { AgentWork, Session } from "./Session.ts"
import type { JudgedTurn, TurnOutcome } from "./Turn.ts"

const stateOf = (copy: WorkingCopy) => ({ files: copy.files(), version: copy.version() })

export const makeAcceptance = Effect.fnUntraced(function* (hooks: ReadonlyArray<AgentHook>, { compacted }: Compaction) {
  const changes = yield* makeTaskChanges

  /**
   * Returns the report that may end the work:
   * - If the turn changed and requested nothing, returns the candidate.
   * - After any other turn, returns the accepted report of this turn.
   * - If this turn has no accepted report, but only added tests that pass, returns the candidate.
   */
  const acceptedReport = <A>({ answer, candidate, results, verdict, work }: JudgedTurn<A>): Option.Option<A> => {
    const state = stateOf(work.assignment.copy)
    const isTestedBy = (report: CandidateReport<A>): boolean =>
      results.hasChanged && !verdict.isOpen && isTested(report, state, results.checks, changes.nameOf)
    const value = Option.map(candidate, (report) => report.value)
    if (Option.exists(candidate, (report) => isUnchanged(report, state, answer))) return value
    return Option.orElse(verdict.accepted, () => (Option.exists(candidate, isTestedBy) ? value : Option.none()))
  }

  /** Ends the work with a report, unless a hook questions it. */
  const accept = Effect.fnUntraced(function* <A, E>(
    judged: JudgedTurn<A, E>,
    value: A
  ): Effect.fn.Return<TurnOutcome<A>> {
    const { candidate, answersLeft, session, work } = judged
    const ask = Effect.forEach(hooks, ({ beforeEnd }) => beforeEnd?.(judged) ?? Effect.undefined)
    const question = Option.isSome(candidate) ? undefined : (yield* ask).find((text) => text !== undefined)
    const questioned =
      question === undefined ? session : { ...session, messages: [...session.messages, fromHost(question)] }
    // Asks the question only if no compaction would drop it, because the model would not see a dropped question.
    const isAsked = questioned !== session && compacted(work, questioned, answersLeft) === questioned
    yield* work.saveSession(isAsked ? questioned : session)
    if (!isAsked) return { session, candidate, end: Option.some({ _tag: "Accepted", value }) }
    const waiting = { ...stateOf(work.assignment.copy), value, checks: session.checks }
    return { session: questioned, candidate: Option.some(waiting), end: Option.none() }
  })

  /** Ends the work with the candidate. Reverts the changes made after the candidate if the checks fail with them. */
  const resolveCandidate = Effect.fnUntraced(function* <A, E>(
    { assignment: { copy }, saveSession }: AgentWork<A, E>,
    session: Session,
    candidate: CandidateReport<A>
  ) {
    const state = stateOf(copy)
    if (mayStay(candidate, state, session.checks)) return candidate.value
    for (const file of takenBack(candidate, state)) copy.propose(file)
    yield* saveSession({ ...session, checks: candidate.checks })
    return candidate.value
  })

  return { accept, acceptedReport, resolveCandidate }
})
