/**
 * The reply to an answer that does not end the work: what was done, what is wrong, and what to do now. It also decides whether the
 * work ends without a report.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { replyText, toolMessages } from "../../domain/documents/TurnReply.ts"
import type { Issue } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import { type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { AgentHook } from "./AgentHook.ts"
import { makeCompaction } from "./Compaction.ts"
import { instructionFor, warnedTurns } from "./hooks/LastTurn.ts"
import { nativeAnswers } from "./hooks/NativeCalls.ts"
import type { AgentEnd, AgentWork, AnyWork, Session } from "./Session.ts"
import type { TurnFindings, TurnOutcome, TurnResults } from "./Turn.ts"

/** True for an end after which a message still gets its last answer. */
const isStop = ({ _tag }: AgentEnd<never>): boolean => _tag === "Repeated" || _tag === "Denied"

export const makeReply = Effect.fnUntraced(function* (hooks: ReadonlyArray<AgentHook>) {
  const { replyBudget, withBudgetNote } = yield* makeCompaction
  const events = yield* RunEvents
  const { limits } = yield* RunSettings

  const reject = ({ assignment }: AnyWork, turn: number, answer: string, issues: ReadonlyArray<Issue>) =>
    events.publish({
      type: "answer.rejected",
      call: { ...assignment.id, attempt: turn },
      answer,
      issues,
      ...(assignment.kind === "message" ? {} : { mostAttempts: limits.attempts })
    })

  /** Replies to an answer that does not end the work, and notes what was in vain. */
  const goOn = Effect.fnUntraced(function* <A, E>(
    work: AgentWork<A, E>,
    session: Session,
    findings: TurnFindings<A>
  ): Effect.fn.Return<TurnOutcome<A>> {
    const { checked, parsed, reply, results, turn, verdict } = findings
    const answers = nativeAnswers(parsed, checked.calls, results.outcomes, turn, checked.tooMany)
    const unmade = answers.flatMap(({ issues, outcome }) => (outcome === undefined ? issues : []))
    const issues = [...verdict.issues, ...unmade]
    if (issues.length > 0) yield* reject(work, turn, reply.answer, issues)
    const answer = reply.answer.trim()
    const { retries } = session
    const isRepeated = retries.answers.has(answer) && parsed.native.length === 0
    const isUnusable = issues.length > 0 && checked.calls.every((call) => call.issues.length > 0)
    const tried: Session = {
      ...session,
      issues,
      retries: {
        unusable: isUnusable ? [...retries.unusable, answer] : [],
        rejectedReports: retries.rejectedReports + (verdict.isSentBack ? 1 : 0),
        answers: new Set([...retries.answers, answer]),
        tuning: {
          repeats: retries.tuning.repeats + (isRepeated ? 1 : 0),
          thinkingCuts: retries.tuning.thinkingCuts + (reply.hasOnlyThought === true ? 1 : 0)
        }
      }
    }
    const end = endWithout(tried, results)
    const getsLastAnswer = work.assignment.kind === "message" && Option.exists(end, isStop)
    const left = getsLastAnswer ? 1 : findings.left
    const messages = withReply(work, tried, { ...findings, left }, { answers, isRepeated })
    const next: Session = { ...tried, messages: left > 1 ? withBudgetNote(work, messages) : messages }
    yield* work.keep(next)
    return { session: next, candidate: findings.candidate, end, getsLastAnswer }
  })

  /** Why the work ends without a report, if it does. */
  const endWithout = (session: Session, { denied }: TurnResults): Option.Option<AgentEnd<never>> => {
    const ends: ReadonlyArray<AgentEnd<never> | undefined> = [
      ...hooks.map((hook) => hook.endOf?.(session)),
      denied === undefined ? undefined : { _tag: "Denied", message: denied },
      session.retries.unusable.length >= limits.attempts ? { _tag: "Unusable" } : undefined
    ]
    return Option.fromUndefinedOr(ends.find((end) => end !== undefined))
  }

  /** The messages with the reply of the program: answers to calls of the interface, and text about everything else. */
  const withReply = <A>(
    work: AnyWork,
    session: Session,
    { checked, left, parsed, priorCalls, reply, results, turn, verdict }: TurnFindings<A>,
    { answers, isRepeated }: { readonly answers: ReturnType<typeof nativeAnswers>; readonly isRepeated: boolean }
  ): ReadonlyArray<ConversationMessage> => {
    const { messages } = session
    const isNative = parsed.native.length > 0
    const answered = toolMessages(answers, replyBudget(work, messages))
    const outcomes = results.outcomes.filter((made) => !answers.some(({ outcome }) => outcome === made))
    const isSilent =
      isNative && verdict.issues.length === 0 && outcomes.length === 0 && !results.hasChanged && left > warnedTurns
    if (isSilent) return [...messages, ...answered]
    const text = replyText({
      turn,
      issues: issuesAsShown(verdict.issues, reply.answer, reply.shown),
      outcomes,
      files: isNative ? [] : results.changedFiles,
      checks: results.hasChanged ? results.checks : [],
      replaced: checked.replaced,
      leftovers: results.remaining,
      before: priorCalls,
      hasFolded: session.isCompacted,
      isRepeated,
      correction: verdict.isSentBack ? work.prompt.correction : undefined,
      now: instructionFor(work.prompt, left),
      budget: replyBudget(work, [...messages, ...answered])
    })
    return [...messages, ...answered, fromHost(text)]
  }

  return goOn
})
