/**
 * How a context window is shared between the turns, the summary that takes their place, and the next reply. Sizes are characters.
 */
import { type ConversationMessage, conversationSize, messageText } from "../models/ConversationMessage.ts"
import { outputsWithin } from "../models/ExecutionBlocks.ts"
import { type CallOutcome, isChange } from "../tools/ToolCall.ts"
import { turnOf, turnUid } from "../tools/ToolCallFormat.ts"
import { answerReserve } from "../models/PromptSize.ts"
import { readNumbered } from "../text/NumberedLines.ts"

/**
 * The conversation takes at most this part of what a prompt may have before it is compacted: nearly all, since each compaction makes the
 * server read everything anew.
 */
const compactAt = 0.96

/** The tokens that a conversation may need before it is compacted. */
export const compactedFrom = (window: number): number => (window - answerReserve(window)) * compactAt

/** A compaction makes the conversation at most this part of the window where the first message leaves room for that. */
export const compactTo = 0.5

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
export const replyShare = 0.7

/** In a summary, the outputs of the last answer have at most this part of the room beside what else is known. */
export const newestShare = 0.7

/** With room for fewer lines no budget is announced: the next compaction makes room. */
const leastLines = 30

/** The characters of a line of source code with its number, on average, where too few lines are shown to measure them. */
const lineCharacters = 50

/** From so many lines on, those that are shown say how long the next ones are. */
const leastMeasured = 20

/** A measured line counts as at least so long: a list of short words says nothing of the next file. */
const leastLine = 25

/** More lines are shown than were announced where that shows the whole of what was asked for. */
const mostOver = 1.1

/** Outputs whose lines are longer than those before may take so many times more than a reply has otherwise. */
export const longerLines = 1.2

/** The characters of an answer that asks for outputs, and of the reply around them. */
const besideOutputs = 800

/** A reply with room for so many lines is enough: the conversation is not compacted to show more. */
const enoughLines = 150

/** A compaction before the window is full has to show so many times more of the last outputs than their reply did. */
const worthwhile = 1.5

/** The turns that a summary takes the place of. */
interface TakenTurns {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly outcomes: ReadonlyArray<CallOutcome>
  readonly turn: number
}

/** The size of the reply to the last answer. */
const lastReply = ({ messages }: TakenTurns): number =>
  conversationSize(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1))

/** The characters of a line with its number, as the messages show lines so far. */
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

/** True for a reply with so much room that nothing makes room for more: the messages before it stay as they are. */
export const isAmple = (reply: number, line = lineCharacters): boolean => reply - besideOutputs >= enoughLines * line

/** What a message says of the output that can be shown next: in a reply, or behind a compaction if that shows more. */
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

/** The lines of output that the last answer may count on: what the message before it announced, and a little more. */
export const announcedLines = (messages: ReadonlyArray<ConversationMessage>): number | undefined => {
  const before = messages[messages.findLastIndex(({ role }) => role === "assistant") - 1]
  const [, lines] = before?.role === "user" ? (announced.exec(before.content.trimEnd()) ?? []) : []
  return lines === undefined ? undefined : Math.floor(Number(lines) * mostOver)
}

/** The outputs that the last answer asked for, as far as their lines were announced. */
const lastOutputs = ({ messages, outcomes, turn }: TakenTurns): ReadonlyArray<string> =>
  outputsWithin(
    outcomes.filter((outcome) => turnUid(turn, "") === `${turnOf(outcome)}/` && !isChange(outcome)),
    announcedLines(messages)
  )

const sizeOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length, 0)

/**
 * The size of a summary: at least what `compactTo` leaves (`room`), at most a reply to the first message (`most`). The outputs of the
 * last answer come first: cut to less, the model would ask for them again. The changed functions have so many characters.
 */
export const summarySize = (turns: TakenTurns, room: number, most: number, functions = 0): number => {
  const beside = announcedLines(turns.messages) === undefined ? 0 : besideOutputs
  const wanted = Math.max(lastReply(turns), sizeOf(lastOutputs(turns)) / newestShare + beside) + functions
  return Math.max(room, most / 2, Math.min(most, wanted))
}

/** True when the last reply cut the outputs to less than was announced, and a summary of this size would show it, or much more. */
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

/** So many changed files fit the turns that every task has. */
const filesAtFirst = 3

/** Further turns for each file beyond them: one to look at it, one to correct it. */
const turnsForFile = 2

/** Work does not grow beyond so many turns by itself. */
const mostTurnsGrown = 40

/** The turns that work may take which has these at first: work over many files shows its size by the files that it changes. */
export const turnLimit = (atFirst: number, changedFiles: number): number => {
  const grown = atFirst + turnsForFile * Math.max(0, changedFiles - filesAtFirst)
  return Math.max(atFirst, Math.min(mostTurnsGrown, grown))
}

/** So many turns before the last one the model is told how many are left. */
export const warnedTurns = 3

/** What the model can do now (`instruction`), with a warning before its last answers. */
export const instructionFor = (
  prompt: { readonly instruction: (left: number, outcomes?: ReadonlyArray<CallOutcome>) => string },
  left: number,
  outcomes?: ReadonlyArray<CallOutcome>
): string => {
  const warning = left > 1 && left <= warnedTurns ? ` ${left} answers are left.` : ""
  return `${prompt.instruction(left, outcomes)}${warning}`
}
