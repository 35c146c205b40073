/**
 * How a context window is shared between the turns, the summary that takes their place, and the next reply. Sizes are characters.
 */
import { type ConversationMessage, conversationSize } from "../models/ConversationMessage.ts"
import { outcomeText } from "../models/OutputText.ts"
import { type CallOutcome, isChange } from "../tools/ToolCall.ts"
import { turnOf, turnUid } from "../tools/ToolCallFormat.ts"
import { newestShare } from "./CompactedTurns.ts"

/** The conversation takes at most this part of the window before it is compacted. */
export const compactAt = 0.72

/** A compaction makes the conversation at most this part of the window where the first message leaves room for that. */
export const compactTo = 0.5

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
export const replyShare = 0.7

/** With room for fewer lines no budget is announced: the next compaction makes room. */
const leastLines = 30

/** The characters of a line of source code with its number, on average. */
const lineCharacters = 50

/** The characters of an answer that asks for outputs, and of the reply around them. */
const besideOutputs = 800

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

/** The size of the outputs that the last answer asked for, whole. */
const lastOutputs = ({ outcomes, turn }: TakenTurns): number =>
  outcomes
    .filter((outcome) => turnUid(turn, "") === `${turnOf(outcome)}/` && !isChange(outcome))
    .reduce((sum, outcome) => sum + outcomeText(outcome).length, 0)

/** What a message says of the output that can be shown next: in a reply, or behind a compaction if that shows more. */
export const budgetNote = (reply: number, compacted: number): string => {
  const inReply = reply - besideOutputs
  const inSummary = (compacted - besideOutputs) * newestShare
  const most = inSummary > inReply * worthwhile ? inSummary : inReply
  const lines = Math.floor(most / lineCharacters / 10) * 10
  return lines < leastLines ? "" : `There is room for about ${lines} lines of output in all.`
}

/**
 * The size of a summary: at least what `compactTo` leaves (`room`), at most a reply to the first message (`most`). The outputs of the
 * last answer come first: cut to less, the model would ask for them again.
 */
export const summarySize = (turns: TakenTurns, room: number, most: number): number => {
  const wanted = Math.max(lastReply(turns), lastOutputs(turns) / newestShare)
  return Math.max(room, most / 2, Math.min(most, wanted))
}

/** True when the last reply cut the outputs, and a summary of this size would show much more of them. */
export const isCutShort = (turns: TakenTurns, size: () => number): boolean => {
  const least = lastReply(turns) * worthwhile
  return lastOutputs(turns) > least && size() * newestShare > least
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
