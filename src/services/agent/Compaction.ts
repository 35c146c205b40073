/**
 * Keeps the conversation within the context window. A summary replaces the turns if the conversation is too long, or if
 * the last reply had no room for what the model requested. In work of the kind `places`, the summary replaces every
 * turn. It shows only places about which no answer has decided.
 */
import * as Effect from "effect/Effect"
import { compactedText, factsLength } from "../../domain/documents/CompactedTurns.ts"
import {
  announcedLines,
  budgetNote,
  compactedFrom,
  compactTo,
  instructionFor,
  isCutShort,
  lineLength,
  replyShare,
  summarySize,
  warnedTurns
} from "../../domain/documents/TurnBudgets.ts"
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
import { type CallOutcome, fileTools } from "../../domain/tools/ToolCall.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { AnyWork, Assignment, Session } from "./Session.ts"

type Messages = ReadonlyArray<ConversationMessage>

const outcomesOf = ({ assignment }: AnyWork, { outcomes }: Session): ReadonlyArray<CallOutcome> => [
  ...assignment.earlierOutcomes,
  ...outcomes
]

const instructionAfter = ({ prompt }: AnyWork, { outcomes }: Session, answersLeft: number): string =>
  answersLeft <= warnedTurns ? instructionFor(prompt, answersLeft, outcomes) : prompt.continuation(outcomes)

export type Compaction = Effect.Success<typeof makeCompaction>

export const makeCompaction = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const settings = yield* RunSettings
  const { contextWindow } = settings

  const scaleOf = ({ assignment: { skill } }: AnyWork) => calibration.scale(skill?.model ?? settings.model)

  /** True if the model gets the tools as native tool calls. */
  const isNative = ({ id, skill }: Assignment): boolean => toolCallsFor(settings, id.stage, skill?.model) === "native"

  const conversationOf = ({ assignment, prompt: { system } }: AnyWork, messages: Messages) => ({
    system,
    messages,
    tools: isNative(assignment) ? registry.tools.filter(({ name }) => assignment.tools.includes(name)) : []
  })

  const factsSize = (work: AnyWork, session: Session, budget: number): number => {
    const { checks, issues } = session
    const outcomes = outcomesOf(work, session)
    const files = changes.named(work.assignment.copy)
    return factsLength({ budget, checks, files, issues, open: openChanges(outcomes) })
  }

  /** The maximum length of a reply after these messages, in characters. */
  const replyBudget = (work: AnyWork, messages: Messages, scale: TokenScale = scaleOf(work)): number =>
    Math.floor(charactersLeft(contextWindow, measuredPrompt(conversationOf(work, messages)), scale) * replyShare)

  /**
   * Adds a note with the budget of the next reply, so that the model does not request more. The budget ignores the
   * token counts of the server. If tasks run in parallel, the order of these counts differs from run to run, so the
   * prompts would differ too.
   */
  const withBudgetNote = (work: AnyWork, session: Session): Messages => {
    const { kind, tools } = work.assignment
    const { messages } = session
    const hasLooks = kind !== "places" && tools.some((tool) => !fileTools.has(tool))
    if (messages.at(-1)?.role !== "user" || !hasLooks) return messages
    const first = work.prompt.compact(messages, "", outcomesOf(work, session))
    const [reply = 0, behind = 0] = [messages, first].map((some) => replyBudget(work, some, assumedScale))
    const facts = Math.min(behind / 2, factsSize(work, session, behind))
    const note = budgetNote(reply, behind - facts, lineLength(messages))
    return note === "" ? messages : withNote(messages, note)
  }

  /** The maximum length of a summary, in characters. Reserves space for the outputs of the last answer's calls. */
  const summaryBudget = (
    work: AnyWork,
    session: Session,
    first = work.prompt.compact(session.messages, "", outcomesOf(work, session))
  ): number => {
    const kept = conversationOf(work, first)
    const least = charactersIn(contextWindow * compactTo, scaleOf(work)) - charactersOf(measuredPrompt(kept))
    const most = replyBudget(work, kept.messages)
    return summarySize(session, least, most, factsSize(work, session, most))
  }

  /** Replaces the turns with a summary that ends with `instruction`. */
  const compactedMessages = (work: AnyWork, session: Session, instruction: string): Messages => {
    const { assignment, prompt } = work
    const { checks, issues, messages } = session
    const outcomes = outcomesOf(work, session)
    const files = changes.named(assignment.copy).filter(({ path }) => prompt.isLeft?.(path) ?? true)
    const first = prompt.compact(messages, "", outcomes)
    const hasNews = outcomes.length + files.length + issues.length > 0 || instruction !== prompt.continuation(outcomes)
    if (!hasNews) return first
    const summary = compactedText({
      outcomes,
      open: openChanges(outcomes),
      files,
      above: first.map(messageText).join("\n"),
      checks,
      issues,
      now: instruction,
      budget: summaryBudget(work, session, first),
      lines: announcedLines(messages)
    })
    return prompt.compact(messages, summary, outcomes)
  }

  /**
   * Compacts the turns if they take too much of the window, or if the last reply had too little space. Work about
   * places is compacted after each answer. `answersLeft` is the number of answers that the model may still give.
   */
  const compacted = (work: AnyWork, session: Session, answersLeft: number): Session => {
    const tokensOf = (messages: Messages): number =>
      neededTokens(measuredPrompt(conversationOf(work, messages)), scaleOf(work))
    const before = tokensOf(session.messages)
    const isCut = isCutShort(session, () => summaryBudget(work, session))
    const isAnswered = work.assignment.kind === "places" && session.turn > 0
    if (before <= compactedFrom(contextWindow) && !isCut && !isAnswered) return session
    const shorter = compactedMessages(work, session, instructionAfter(work, session, answersLeft))
    const messages = answersLeft > 1 ? withBudgetNote(work, { ...session, messages: shorter }) : shorter
    return isCut || tokensOf(messages) < before
      ? { ...session, isCompacted: true, shownFrom: session.turn, messages }
      : session
  }

  return { compacted, compactedMessages, conversationOf, isNative, replyBudget, withBudgetNote }
})
