/**
 * The reply to an answer that does not end the work: what was done, what is wrong, and what to do now. It also decides whether the
 * work ends without a report.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { nativeAnswers } from "../../domain/documents/CheckedCalls.ts"
import { isRepeated, retriesAfter } from "../../domain/documents/Retries.ts"
import { type CallReply, replyText, toolMessages } from "../../domain/documents/TurnReply.ts"
import { mostUselessAnswers, unableText } from "../../domain/documents/UselessAnswers.ts"
import type { Issue } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import { type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import { instructionFor, warnedTurns } from "./Instruction.ts"
import type { AgentEnd, AgentWork, AnyWork, Session } from "./Session.ts"
import type { JudgedTurn, TurnOutcome } from "./Turn.ts"

/** True for an end after which a message still gets its last answer. */
const isStop = ({ _tag }: AgentEnd<never>): boolean => _tag === "Repeated" || _tag === "Denied"

export const makeReply = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<AgentHook>,
  { replyBudget, withBudgetNote }: Compaction
) {
  const events = yield* RunEvents
  const { limits, model } = yield* RunSettings

  const reject = ({ assignment }: AnyWork, turn: number, answer: string, issues: ReadonlyArray<Issue>) =>
    events.publish({
      type: "answer.rejected",
      call: { ...assignment.id, attempt: turn },
      answer,
      issues,
      ...(assignment.kind === "message" ? {} : { mostAttempts: limits.attempts })
    })

  /** Why the work ends without a report, if it does. */
  const endWithout = (
    { assignment: { id, kind, skill } }: AnyWork,
    session: Session,
    denied: string | undefined
  ): Option.Option<AgentEnd<never>> => {
    const { unusable, useless } = session.retries
    const ends: ReadonlyArray<AgentEnd<never> | undefined> = [
      ...hooks.map((hook) => hook.endOf?.(session)),
      denied === undefined ? undefined : { _tag: "Denied", message: denied },
      kind === "calls" || useless < mostUselessAnswers
        ? undefined
        : { _tag: "Unusable", unable: unableText(skill?.model ?? model, id.stage) },
      unusable.length < limits.attempts ? undefined : { _tag: "Unusable" }
    ]
    return Option.fromUndefinedOr(ends.find((end) => end !== undefined))
  }

  /** The messages with the reply of the program: answers to calls of the interface, and text about everything else. */
  const withReply = (
    judged: JudgedTurn<unknown>,
    answers: ReadonlyArray<CallReply>
  ): ReadonlyArray<ConversationMessage> => {
    const { checked, left, parsed, priorCalls, reply, results, session, turn, verdict, work } = judged
    const { isCompacted, messages, retries } = session
    const isNative = parsed.native.length > 0
    const answered = toolMessages(answers, replyBudget(work, messages))
    const outcomes = results.outcomes.filter((ran) => !answers.some(({ outcome }) => outcome === ran))
    const hasNews =
      verdict.issues.length + outcomes.length > 0 || results.hasChanged || results.folderInstructions !== ""
    if (isNative && !hasNews && left > warnedTurns) return [...messages, ...answered]
    const text = replyText({
      turn,
      issues: issuesAsShown(verdict.issues, reply.answer, reply.shown),
      outcomes,
      files: isNative ? [] : results.changedFiles,
      checks: results.hasChanged ? results.checks : [],
      replaced: checked.replaced,
      leftovers: results.remaining,
      instructions: results.folderInstructions,
      before: priorCalls,
      hasFolded: isCompacted,
      isRepeated: isRepeated(retries, judged),
      correction: verdict.isSentBack ? work.prompt.correction : undefined,
      now: instructionFor(work.prompt, left),
      budget: replyBudget(work, [...messages, ...answered])
    })
    return [...messages, ...answered, fromHost(text)]
  }

  /** Replies to an answer that does not end the work with a report. */
  return Effect.fnUntraced(function* <A, E>(
    work: AgentWork<A, E>,
    judged: JudgedTurn<A>
  ): Effect.fn.Return<TurnOutcome<A>> {
    const { candidate, checked, parsed, reply, results, session, turn, verdict } = judged
    const { kind } = work.assignment
    const answers = nativeAnswers(parsed, checked, results.outcomes, turn)
    const unmade = answers.flatMap(({ issues, outcome }) => (outcome === undefined ? issues : []))
    const issues = [...verdict.issues, ...unmade]
    if (issues.length > 0) yield* reject(work, turn, reply.answer, issues)
    const hasUsableCall = kind !== "calls" && checked.calls.some((call) => call.issues.length === 0)
    const retries = retriesAfter(session.retries, {
      ...verdict,
      reply,
      parsed,
      isUnusable: issues.length > 0 && !hasUsableCall
    })
    const end = endWithout(work, { ...session, retries }, results.denied)
    const getsLastAnswer = kind === "message" && Option.exists(end, isStop)
    const left = getsLastAnswer ? 1 : judged.left
    const messages = withReply({ ...judged, left }, answers)
    const next = { ...session, issues, retries, messages: left > 1 ? withBudgetNote(work, messages) : messages }
    yield* work.keep(next)
    return { session: next, candidate, end, getsLastAnswer }
  })
})
