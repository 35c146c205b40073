/**
 * Divides a context window among the turns, the summary that replaces old turns, and the next reply. Sizes are
 * characters unless a comment says otherwise.
 */
import { type ConversationMessage, conversationSize, messageText } from "../models/ConversationMessage.ts"
import { outputsWithin } from "../models/ExecutionBlocks.ts"
import { type CallOutcome, isChange } from "../tools/ToolCall.ts"
import { turnOf, turnUid } from "../tools/ToolCallFormat.ts"
import { answerReserve } from "../models/PromptSize.ts"
import { readNumbered } from "../text/NumberedLines.ts"

/**
 * A conversation is compacted when it fills this part of the budget for the prompt. The part is large, because after
 * each compaction the server must read the whole prompt again.
 */
const compactAt = 0.96

/** The number of tokens above which a conversation in this window is compacted. */
export const compactedFrom = (window: number): number => (window - answerReserve(window)) * compactAt

/** After a compaction, the conversation takes at most this part of the window. A long first message may exceed it. */
export const compactTo = 0.5

/** A reply takes at most this part of the free window. Another turn then fits after the reply. */
export const replyShare = 0.7

/** The maximum share of a summary for the outputs of the last answer. The rest is for other facts. */
export const newestShare = 0.7

/** A budget note announces at least this many lines. If fewer lines fit, the next compaction frees the window. */
const leastLines = 30

/**
 * The assumed number of characters of a numbered source line. It is used until enough lines are visible to measure
 * their length.
 */
const lineCharacters = 50

/** The program predicts the length of later lines only if this many lines are visible. */
const leastMeasured = 20

/** A prediction assumes at least this many characters in a line, because a list of short words predicts nothing. */
const leastLine = 25

/** A reply may exceed the announced lines by this factor if the requested output then fits completely. */
const mostOver = 1.1

/** Outputs may exceed the budget of a reply by this factor if their lines are longer than the program measured. */
export const longerLines = 1.2

/** The number of characters for the request of the model, and for the parts of the reply that are not outputs. */
const besideOutputs = 800

/** A reply with at least this many lines is large enough. An early compaction is then not worthwhile. */
const enoughLines = 150

/**
 * An early compaction is worthwhile only if a summary has much more room for the last outputs than the reply has. The
 * summary must have at least this many times the room of the reply.
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

/** True for a reply that has enough space without a compaction. The earlier messages then stay unchanged. */
export const isAmple = (reply: number, line = lineCharacters): boolean => reply - besideOutputs >= enoughLines * line

/**
 * The note to the model about how many lines of output fit next. If more lines would fit after a compaction than now,
 * the note gives this larger number.
 */
export const budgetNote = (reply: number, compacted: number, line = lineCharacters): string => {
  const inReply = reply - besideOutputs
  const inSummary = (compacted - besideOutputs) * newestShare
  const most = !isAmple(reply, line) && inSummary > inReply * worthwhile ? inSummary : inReply
  const lines = Math.floor(most / line / 10) * 10
  return lines < leastLines
    ? ""
    : `There is room for about ${lines} lines of output in all, shared by the calls of one answer.`
}

const announced = / There is room for about (\d+) lines of output in all, shared by the calls of one answer\.$/

/** The maximum number of output lines in the reply to the last answer: the announced number and a tenth more. */
export const announcedLines = (messages: ReadonlyArray<ConversationMessage>): number | undefined => {
  const before = messages[messages.findLastIndex(({ role }) => role === "assistant") - 1]
  const [, lines] = before?.role === "user" ? (announced.exec(before.content.trimEnd()) ?? []) : []
  return lines === undefined ? undefined : Math.floor(Number(lines) * mostOver)
}

/** The outputs that the last answer requested, as far as they fit the announced lines. */
const lastOutputs = ({ messages, outcomes, turn }: TakenTurns): ReadonlyArray<string> =>
  outputsWithin(
    outcomes.filter((outcome) => turnUid(turn, "") === `${turnOf(outcome)}/` && !isChange(outcome)),
    announcedLines(messages)
  )

const sizeOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length, 0)

/**
 * The size of a summary. It is at least the size that `compactTo` leaves (`least`), and at most the size of a reply to
 * the first message (`most`). The outputs of the last answer have priority, because the model would otherwise request
 * them again. The changed functions and unsolved problems take `facts` characters.
 */
export const summarySize = (turns: TakenTurns, least: number, most: number, facts = 0): number => {
  const beside = announcedLines(turns.messages) === undefined ? 0 : besideOutputs
  const wanted = Math.max(lastReply(turns), sizeOf(lastOutputs(turns)) / newestShare + beside) + facts
  return Math.max(least, most / 2, Math.min(most, wanted))
}

/**
 * True if the last reply cut the outputs, and a summary of `size` characters would show much more of them. If a number
 * of lines was announced, the summary must show the outputs whole.
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

/** The turns that a task has at the start suffice for this many changed files. */
const filesAtFirst = 3

/** How many turns each further changed file adds: a turn to read the file, and a turn to correct it. */
const turnsForFile = 2

/** The turn limit grows with the number of changed files, but to at most this number. */
const mostTurnsGrown = 40

/** The turn limit of work that starts with `atFirst` turns. The limit grows with the number of changed files. */
export const turnLimit = (atFirst: number, changedFiles: number): number => {
  const grown = atFirst + turnsForFile * Math.max(0, changedFiles - filesAtFirst)
  return Math.max(atFirst, Math.min(mostTurnsGrown, grown))
}

/** The number of turns before the turn limit in which the program tells the model how many answers are left. */
export const warnedTurns = 3

/** The instruction of the prompt. Shortly before the turn limit, it also says how many answers are left. */
export const instructionFor = (
  prompt: { readonly instruction: (answersLeft: number, outcomes?: ReadonlyArray<CallOutcome>) => string },
  answersLeft: number,
  outcomes?: ReadonlyArray<CallOutcome>
): string => {
  const warning = answersLeft > 1 && answersLeft <= warnedTurns ? ` ${answersLeft} answers are left.` : ""
  return `${prompt.instruction(answersLeft, outcomes)}${warning}`
}
