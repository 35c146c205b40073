/**
 * One answer of a model in the turns of a task or a message: its text, and the calls that it made through the interface of its
 * server. Each such call is answered by a message of its own, and text beside them is no report.
 */
import { assistantMessage, type AssistantMessage } from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { renderWorkedTask } from "./TaskRendering.ts"
import { type TurnContent, nothingAsked, readAskedCall } from "./TurnFormat.ts"
import type { PlainAnswer } from "./UnusableAnswer.ts"

/** An answer as the server sent it. */
export interface TurnAnswer extends PlainAnswer {
  readonly thinking: string
  /** The calls of the interface. */
  readonly askedCalls: ReadonlyArray<AskedCall>
}

/** An answer that was read: what it asks for, and itself as a message. */
export interface ParsedAnswer extends TurnAnswer {
  readonly content: TurnContent
  /** The calls of the interface that are answered one by one. */
  readonly native: ReadonlyArray<ReturnType<typeof readAskedCall>>
  readonly message: AssistantMessage
}

/** An answer that cannot be used, so that nothing is read out of it. */
export const unreadAnswer = (answer: TurnAnswer): ParsedAnswer => ({
  ...answer,
  content: { ...nothingAsked, issues: answer.issues },
  native: [],
  message: assistantMessage(answer.shownText)
})

/**
 * Joins what the text asks for (`written`) with the calls of the interface. Where the model was not offered the interface, they
 * count as if they stood in the text.
 */
export const parsedAnswer = (answer: TurnAnswer, written: TurnContent, isOffered: boolean): ParsedAnswer => {
  const { askedCalls, shownText, thinking } = answer
  if (askedCalls.length === 0) return { ...answer, content: written, native: [], message: assistantMessage(shownText) }
  const native = askedCalls.map((call, index) => readAskedCall(call, `call-${written.calls.length + index + 1}`))
  const { report: _, ...rest } = written
  const isActing = written.calls.length + written.changes.length > 0
  const calls = native.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : []))
  const unread = isOffered ? [] : native.flatMap(({ issues }) => issues)
  return {
    ...answer,
    content: {
      ...rest,
      calls: [...written.calls, ...calls],
      issues: [...(isActing ? written.issues : []), ...unread],
      repairs: [...written.repairs, ...native.flatMap(({ repairs }) => repairs)]
    },
    native: isOffered ? native : [],
    message: isOffered
      ? assistantMessage(shownText, { calls: askedCalls, thinking })
      : assistantMessage([shownText.trim(), renderWorkedTask({ calls })].filter((part) => part !== "").join("\n\n"))
  }
}
