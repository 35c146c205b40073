/**
 * Replies to an answer that does not end the work: what was done, what is wrong, and what to do next. Also decides
 * whether the work ends without a report.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { callReplies } from "../../domain/documents/CheckedCalls.ts"
import { isRepeated, retriesAfter } from "../../domain/documents/Retries.ts"
import { announcedLimits, instructionFor, warnedTurns } from "../../domain/documents/TurnBudgets.ts"
import { type CallReply, replyText, shownIn, toolMessages } from "../../domain/documents/TurnReply.ts"
import { mostUselessAnswers, unableText } from "../../domain/documents/UselessAnswers.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import { type ConversationMessage, fromHost, pictureCharacters } from "../../domain/models/ConversationMessage.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { Compaction } from "./Compaction.ts"
import { makeResultImages } from "../models/ResultImages.ts"
import { type AgentEnd, type AnyWork, getsLastAnswer, type Session } from "./Session.ts"
import type { JudgedTurn, TurnOutcome } from "./Turn.ts"

type Messages = ReadonlyArray<ConversationMessage>

export const makeReply = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<AgentHook>,
  { replyBudget, withBudgetNote }: Compaction
) {
  const events = yield* RunEvents
  const imagesFor = yield* makeResultImages
  const { limits, model } = yield* RunSettings

  /** Says why the work ends without a report; none if the work continues. */
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

  /** Adds the reply to the messages: one message for each native tool call, and one text about everything else. */
  const withReply = Effect.fnUntraced(function* (
    { answer, checked, answersLeft, results, session, verdict, work }: JudgedTurn,
    replies: ReadonlyArray<CallReply>
  ): Effect.fn.Return<Messages> {
    const { checks, folderInstructions: instructions, hasChanged, remaining } = results
    const isNative = answer.native.length > 0
    const budgetOf = (some: Messages): number => replyBudget(work, some)
    const searched = { ...session, newOutcomes: results.outcomes, replyBudget: budgetOf }
    const again = work.prompt.lookAgain?.(searched) ?? Effect.succeed({ messages: session.messages, parts: "" })
    const { messages: before, parts } = yield* again
    const announced = announcedLimits(session.messages)
    const messages = [...before, ...toolMessages(replies, budgetOf(before) - parts.length, announced)]
    const outcomes = results.outcomes.filter((ran) => !replies.some(({ outcome }) => outcome === ran))
    const images = yield* imagesFor(work.assignment, session.turn, results.outcomes, budgetOf(messages) / 2)
    const news = verdict.issues.length + outcomes.length + images.lines.length
    const hasNews = news > 0 || hasChanged || instructions + parts !== ""
    if (isNative && !hasNews && answersLeft > warnedTurns) return messages
    const replied = { outcomes, instructions, parts, remaining, images: images.lines, replaced: checked.replaced }
    const earlier = [...work.assignment.earlierOutcomes, ...session.outcomes].filter(
      (outcome) => !results.outcomes.includes(outcome)
    )
    const text = replyText({
      turn: session.turn,
      results: { ...replied, files: isNative ? [] : results.changedFiles, checks: hasChanged ? checks : [] },
      issues: issuesAsShown(verdict.issues, answer.text, answer.shownText),
      correction: verdict.isSentBack ? work.prompt.correction : undefined,
      outcomesAbove: shownIn(before, earlier),
      isRepeated: isRepeated(session.retries, answer),
      instruction: instructionFor(work.prompt, answersLeft, session.outcomes),
      budget: replyBudget(work, messages) - images.pictures.length * pictureCharacters,
      announced
    })
    return [...messages, fromHost(text, images.pictures)]
  })

  return Effect.fnUntraced(function* <A, E>(judged: JudgedTurn<A, E>): Effect.fn.Return<TurnOutcome<A>> {
    const { answer, candidate, checked, results, session, verdict, work } = judged
    const { id, kind } = work.assignment
    const replies = callReplies(answer, checked, results.outcomes, session.turn)
    const notMade = replies.flatMap(({ issues, outcome }) => (outcome === undefined ? issues : []))
    const issues = [...verdict.issues, ...notMade]
    if (issues.length > 0) {
      const mostAttempts = kind === "message" ? {} : { mostAttempts: limits.attempts }
      const call = { ...id, attempt: session.turn }
      yield* events.publish({ type: "answer.rejected", call, answer: answer.text, issues, ...mostAttempts })
    }
    const hasUsableCall = kind !== "calls" && checked.calls.some((call) => call.issues.length === 0)
    const isUnusable = issues.length > 0 && !hasUsableCall
    const retries = retriesAfter(session.retries, { ...verdict, answer, isUnusable })
    const end = endWithout(work, { ...session, retries }, results.denied)
    const answersLeft = Option.exists(end, (reason) => getsLastAnswer(work, reason)) ? 1 : judged.answersLeft
    const messages = yield* withReply({ ...judged, answersLeft }, replies)
    const replied = { ...session, issues, retries, messages }
    const next = answersLeft > 1 ? { ...replied, messages: withBudgetNote(work, replied) } : replied
    yield* work.saveSession(next)
    return { session: next, candidate, end }
  })
})
