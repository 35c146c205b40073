/**
 * Divides a context window among the turns, the summary that replaces old turns, and the next reply. Sizes are in
 * characters unless stated otherwise.
 */
import { type ConversationMessage, conversationSize, messageText } from "../models/ConversationMessage.ts"
import { outputsWithin } from "../models/ExecutionBlocks.ts"
import { type CallOutcome, isChange } from "../tools/ToolCall.ts"
import { turnOf, turnUid } from "../tools/ToolCallFormat.ts"
import { answerReserve } from "../models/PromptSize.ts"
import { readNumbered } from "../text/NumberedLines.ts"

/**
 * A conversation is compacted when it fills this part of the prompt's budget. The part is large, because after a
 * compaction the server must read the whole prompt again.
 */
const compactAt = 0.96

/** The number of tokens from which a conversation in this window is compacted. */
export const compactedFrom = (window: number): number => (window - answerReserve(window)) * compactAt

/**
 * After a compaction, the conversation takes at most this part of the window. Only a long first message may exceed it.
 */
export const compactTo = 0.5

/** A reply takes at most this part of the free window, so that another turn fits after it. */
export const replyShare = 0.7

/** The maximum share of a summary for the outputs of the last answer. */
export const newestShare = 0.7

/**
 * The minimum number of lines that a budget note announces. If fewer lines fit, there is no note, because the next
 * compaction frees the window.
 */
const leastLines = 30

/**
 * The maximum number of lines that a budget note offers the model. If the note offers more, a model reads more than it
 * needs.
 */
const mostLines = 400

/** The assumed length of a numbered source line in characters, until enough lines are visible to measure it. */
const lineCharacters = 50

/** The length of lines is measured only if at least this many lines are visible. Fewer lines predict nothing. */
const leastMeasured = 20

/**
 * The minimum of the predicted line length, in characters. Without it, a list of short words would make the prediction
 * too small.
 */
const leastLine = 40

/** A reply may exceed the announced lines by this factor if the output then fits whole. */
const mostOver = 1.08

/** The length of the largest file, in characters, that the outputs of one answer can show whole. */
export const mostAtOnce = mostLines * lineCharacters

/**
 * The factor by which a reply may exceed its share of the window. It applies only if a long answer would otherwise
 * prevent the reply from showing what was announced.
 */
export const mostStretch = 1.3

/** The number of characters reserved for the model's request, and for parts of the reply that are not outputs. */
const besideOutputs = 800

/** If a reply has room for this many lines, the conversation is not compacted early. */
const enoughLines = 150

/**
 * The least gain of a compaction before the window is full. The summary must show at least this many times as much
 * output as the reply without it.
 */
const worthwhile = 1.5

/** The turns that a summary replaces. */
interface TakenTurns {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly turn: number
}

/** The size of the program's reply to the last answer. */
const lastReply = ({ messages }: TakenTurns): number =>
  conversationSize(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1))

/** The average length of a numbered line in the messages so far. */
export const lineLength = (messages: ReadonlyArray<ConversationMessage>): number => {
  const lines = messages.flatMap((message) =>
    message.role === "assistant"
      ? []
      : messageText(message)
          .split("\n")
          .filter((line) => readNumbered(line) !== undefined)
  )
  const characters = lines.reduce((sum, line) => sum + line.length + 1, 0)
  return lines.length < leastMeasured ? lineCharacters : Math.max(leastLine, characters / lines.length)
}

/** True for a reply with so much space for outputs that no early compaction is needed. */
export const isAmple = (reply: number, line = lineCharacters): boolean => reply - besideOutputs >= enoughLines * line

/** Tells the model how many lines of output fit next. If more fit after a compaction, the note gives that number. */
export const budgetNote = (reply: number, compacted: number, line = lineCharacters): string => {
  const inReply = reply - besideOutputs
  const inSummary = (compacted - besideOutputs) * newestShare
  const most = !isAmple(reply, line) && inSummary > inReply * worthwhile ? inSummary : inReply
  const lines = Math.min(mostLines, Math.floor(most / line / 10) * 10)
  return lines < leastLines
    ? ""
    : `There is room for about ${lines} lines of output with ${Math.round(line)} characters each, shared by the calls of one answer.`
}

const announcement =
  / There is room for about (\d+) lines of output with (\d+) characters each, shared by the calls of one answer\.$/

/**
 * Removes the numbers of budget notes from a prompt. They depend on the lengths of texts, which change when a secret is
 * replaced.
 */
export const withoutBudgets = (text: string): string =>
  text.replaceAll(/\d+ lines of output with \d+ characters each\b/g, "")

/** The limits of the outputs in the next reply: a few more than announced. */
export interface OutputLimits {
  readonly lines: number
  readonly characters: number
}

export const announcedLimits = (messages: ReadonlyArray<ConversationMessage>): OutputLimits | undefined => {
  const before = messages[messages.findLastIndex(({ role }) => role === "assistant") - 1]
  const [, lines, each] = before?.role === "user" ? (announcement.exec(before.content.trimEnd()) ?? []) : []
  if (lines === undefined) return undefined
  const most = Number(lines) * mostOver
  return { lines: Math.floor(most), characters: Math.floor(most * Number(each)) }
}

/** The maximum number of output lines in the next reply. Undefined if nothing was announced. */
export const announcedLines = (messages: ReadonlyArray<ConversationMessage>): number | undefined =>
  announcedLimits(messages)?.lines

/** The outputs that the last answer requested, each cut to the number of lines that was announced to the model. */
const lastOutputs = ({ messages, outcomes, turn }: TakenTurns): ReadonlyArray<string> =>
  outputsWithin(
    outcomes.filter((outcome) => turnUid(turn, "") === `${turnOf(outcome)}/` && !isChange(outcome)),
    announcedLines(messages)
  )

const sizeOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length, 0)

/**
 * The maximum size of a summary: between half of `most` and `most`, but at least `least`. It grows with the last
 * outputs, because the model would otherwise request them again. `least` is the space that `compactTo` leaves. `most`
 * is the space of a reply to the first message. `facts` is the size of changed functions and unsolved problems.
 */
export const summarySize = (turns: TakenTurns, least: number, most: number, facts = 0): number => {
  const beside = announcedLines(turns.messages) === undefined ? 0 : besideOutputs
  const wanted = Math.max(lastReply(turns), sizeOf(lastOutputs(turns)) / newestShare + beside) + facts
  return Math.max(least, most / 2, Math.min(most, wanted))
}

/**
 * True if the last reply cut outputs, and a summary would show much more of them. `size` returns the characters of that
 * summary. If the last message announced lines, the summary must have room for all outputs.
 */
export const isCutShort = (turns: TakenTurns, size: () => number): boolean => {
  const outputs = lastOutputs(turns)
  const wanted = sizeOf(outputs)
  if (announcedLines(turns.messages) === undefined) {
    const least = lastReply(turns) * worthwhile
    const isEnough = lastReply(turns) > enoughLines * lineLength(turns.messages)
    return !isEnough && wanted > least && size() * newestShare > least
  }
  const shown = turns.messages.map(messageText).join("")
  return outputs.some((text) => !shown.includes(text)) && size() * newestShare * mostOver > wanted
}

/** The initial number of turns is enough for a task that changes this many files. */
const filesAtFirst = 3

/** How many turns each further changed file adds: to read the file, and to correct it. */
const turnsForFile = 2

/** The turn limit grows to at most this number. */
const mostTurnsGrown = 40

/**
 * The maximum number of turns. It is `atFirst` for up to `filesAtFirst` changed files, and grows with each further
 * changed file up to `mostTurnsGrown`.
 */
export const turnLimit = (atFirst: number, changedFiles: number): number => {
  const grown = atFirst + turnsForFile * Math.max(0, changedFiles - filesAtFirst)
  return Math.max(atFirst, Math.min(mostTurnsGrown, grown))
}

/** For this many turns before the limit, the program tells the model how many answers are left. */
export const warnedTurns = 3

/** The instruction of the prompt. Near the turn limit, it says how many answers are left. */
export const instructionFor = (
  prompt: { readonly instruction: (answersLeft: number, outcomes?: ReadonlyArray<CallOutcome>) => string },
  answersLeft: number,
  outcomes?: ReadonlyArray<CallOutcome>
): string => {
  const warning = answersLeft > 1 && answersLeft <= warnedTurns ? ` ${answersLeft} answers are left.` : ""
  return `${prompt.instruction(answersLeft, outcomes)}${warning}`
}
