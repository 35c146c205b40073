/**
 * Keeps the conversation within the context window. When it has become too long, or the last reply had too little room for what
 * the model asked for, the turns are compacted into what the program knows of them. The end of each message says how much can be
 * shown next.
 */
import * as Effect from "effect/Effect"
import { compactedText, lastOutputsSize, lastReplySize, newestShare } from "../../domain/documents/CompactedTurns.ts"
import {
  type ConversationMessage,
  measuredPrompt,
  messageText,
  withNote
} from "../../domain/models/ConversationMessage.ts"
import { toolCallsFor } from "../../domain/models/Generation.ts"
import {
  assumedScale,
  charactersIn,
  charactersLeft,
  charactersOf,
  neededTokens,
  type TokenScale
} from "../../domain/models/PromptSize.ts"
import { openChanges } from "../../domain/tools/OpenChanges.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { instructionFor, warnedTurns } from "./hooks/LastTurn.ts"
import type { AnyWork, Assignment, Session } from "./Session.ts"

/** The conversation takes at most this part of the window before it is compacted. */
const compactAt = 0.72

/** A compaction makes the conversation at most this part of the window where the first message leaves room for that. */
const compactTo = 0.5

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
const replyShare = 0.7

/** With room for fewer lines no budget is announced: the next compaction makes room. */
const leastLines = 30

/** The characters of a line of source code with its number, on average. */
const lineCharacters = 50

/** The characters of an answer that asks for outputs, and of the reply around them. */
const besideOutputs = 800

/** A compaction before the window is full has to show so many times more of the last outputs than their reply did. */
const worthwhile = 1.5

type Messages = ReadonlyArray<ConversationMessage>

export type Compaction = Effect.Success<typeof makeCompaction>

export const makeCompaction = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const settings = yield* RunSettings
  const { contextWindow } = settings

  const scaleOf = ({ assignment: { skill } }: AnyWork) => calibration.scale(skill?.model ?? settings.model)

  /** True when the model is offered its tools through the interface. */
  const isNative = ({ id, skill }: Assignment): boolean => toolCallsFor(settings, id.stage, skill?.model) === "native"

  /** The messages with the system message and the tools that are sent with them. */
  const conversationOf = ({ assignment, prompt: { system } }: AnyWork, messages: Messages) => ({
    system,
    messages,
    tools: isNative(assignment) ? registry.tools.filter(({ name }) => assignment.tools.includes(name)) : []
  })

  /** The characters that a reply may have behind these messages. */
  const replyBudget = (work: AnyWork, messages: Messages, scale: TokenScale = scaleOf(work)): number =>
    Math.floor(charactersLeft(contextWindow, measuredPrompt(conversationOf(work, messages)), scale) * replyShare)

  /**
   * Says at the end of the last message how much can be shown next, in the reply or in the compaction that shows more, so that one
   * answer does not ask for more. The counts of the server are left aside: a prompt must not depend on which of several tasks
   * was answered first.
   */
  const withBudgetNote = (work: AnyWork, messages: Messages): Messages => {
    const hasLooks = work.assignment.tools.some((tool) => !fileTools.has(tool))
    if (messages.at(-1)?.role !== "user" || !hasLooks) return messages
    const reply = replyBudget(work, messages, assumedScale) - besideOutputs
    const first = work.prompt.compact(messages, "")
    const compacted = (replyBudget(work, first, assumedScale) - besideOutputs) * newestShare
    const most = compacted > reply * worthwhile ? compacted : reply
    const lines = Math.floor(most / lineCharacters / 10) * 10
    return lines < leastLines
      ? messages
      : withNote(messages, `There is room for about ${lines} lines of output in all.`)
  }

  /** The characters that a summary may have, of which the outputs of the last answer take the most. */
  const summaryBudget = (
    work: AnyWork,
    session: Session,
    first = work.prompt.compact(session.messages, "")
  ): number => {
    const kept = conversationOf(work, first)
    const room = charactersIn(contextWindow * compactTo, scaleOf(work)) - charactersOf(measuredPrompt(kept))
    // The outputs of the last answer come first: cut to less, the model would ask for them again.
    const most = replyBudget(work, kept.messages)
    const wanted = Math.max(lastReplySize(session.messages), lastOutputsSize(session) / newestShare)
    return Math.max(room, most / 2, Math.min(most, wanted))
  }

  /** The messages with a summary in the place of the turns; `instruction` is its end. */
  const compactedMessages = (work: AnyWork, session: Session, instruction: string): Messages => {
    const { assignment, prompt } = work
    const { checks, issues, messages } = session
    const outcomes = [...assignment.priorCalls, ...session.outcomes]
    const files = changes.named(assignment.copy)
    const first = prompt.compact(messages, "")
    const hasNews = outcomes.length + files.length + issues.length > 0 || instruction !== prompt.continuation
    if (!hasNews) return first
    const summary = compactedText({
      outcomes,
      open: openChanges(outcomes),
      files,
      above: first.map(messageText).join("\n"),
      checks,
      issues,
      now: instruction,
      budget: summaryBudget(work, session, first)
    })
    return prompt.compact(messages, summary)
  }

  /** Compacts the turns when they take too much of the window, or left the last reply too little room; `left` answers are to come. */
  const compacted = (work: AnyWork, session: Session, left: number): Session => {
    const tokensOf = (messages: Messages): number =>
      neededTokens(measuredPrompt(conversationOf(work, messages)), scaleOf(work))
    const before = tokensOf(session.messages)
    const reply = lastReplySize(session.messages)
    const isCut =
      lastOutputsSize(session) > reply * worthwhile && summaryBudget(work, session) * newestShare > reply * worthwhile
    if (before <= contextWindow * compactAt && !isCut) return session
    const instruction = left <= warnedTurns ? instructionFor(work.prompt, left) : work.prompt.continuation
    const shorter = compactedMessages(work, session, instruction)
    const messages = left > 1 ? withBudgetNote(work, shorter) : shorter
    return isCut || tokensOf(messages) < before ? { ...session, isCompacted: true, messages } : session
  }

  return { compacted, compactedMessages, conversationOf, isNative, replyBudget, withBudgetNote }
})
