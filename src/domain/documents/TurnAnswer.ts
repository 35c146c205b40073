/**
 * One answer of a model in a task or message: its text and its native calls, each of which gets a reply message. The
 * text beside native calls is no report.
 */
import { assistantMessage, type AssistantMessage } from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { renderWorkedTask } from "./TaskRendering.ts"
import { type TurnContent, nothingAsked, readAskedCall } from "./TurnFormat.ts"
import type { PlainAnswer } from "./UnusableAnswer.ts"

/** An answer as the server of the model sent it. */
export interface TurnAnswer extends PlainAnswer {
  readonly thinking: string
  readonly askedCalls: ReadonlyArray<AskedCall>
}

/** A parsed answer: what it requests, and the message that the conversation keeps. */
export interface ParsedAnswer extends TurnAnswer {
  readonly content: TurnContent
  /** The native calls. Each gets a reply message. */
  readonly native: ReadonlyArray<ReturnType<typeof readAskedCall>>
  readonly message: AssistantMessage
}

/** An unusable answer: no calls or changes are read from it. */
export const unreadAnswer = (answer: TurnAnswer): ParsedAnswer => ({
  ...answer,
  content: { ...nothingAsked, issues: answer.issues },
  native: [],
  message: assistantMessage(answer.shownText)
})

/**
 * Joins the requests in the text (`written`) with the native calls. If the model was offered no native tools, its
 * native calls count as calls in the text.
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
