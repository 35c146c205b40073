/**
 * One answer of a model in the turns of a task or a message: its text, and the calls that it made through the interface of its
 * server. Each such call is answered by a message of its own, and text beside them is no report.
 */
import { assistantMessage, type AssistantMessage } from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { renderRefined } from "./TaskRendering.ts"
import { type TurnContent, nothingAsked, readAskedCall } from "./TurnFormat.ts"
import type { PlainReply } from "./UnusableAnswer.ts"

export interface ModelReply extends PlainReply {
  readonly thinking: string
  /** The calls of the interface. */
  readonly asked: ReadonlyArray<AskedCall>
}

/** A reply as it was read: what it asks for, and itself as a message. */
export interface ParsedReply {
  readonly turn: TurnContent
  /** The calls of the interface that are answered one by one. */
  readonly native: ReadonlyArray<ReturnType<typeof readAskedCall>>
  readonly message: AssistantMessage
}

/** A reply that cannot be read as an answer. */
export const unreadReply = ({ issues, shown }: PlainReply): ParsedReply => ({
  turn: { ...nothingAsked, issues },
  native: [],
  message: assistantMessage(shown)
})

/**
 * Joins what the text asks for (`written`) with the calls of the interface. Where the model was not offered the interface, they
 * count as if they stood in the text.
 */
export const parsedReply = (
  { asked, shown, thinking }: ModelReply,
  written: TurnContent,
  isOffered: boolean
): ParsedReply => {
  if (asked.length === 0) return { turn: written, native: [], message: assistantMessage(shown) }
  const native = asked.map((call, index) => readAskedCall(call, `call-${written.calls.length + index + 1}`))
  const { report: _, ...rest } = written
  const isActing = written.calls.length + written.changes.length > 0
  const calls = native.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : []))
  const unread = isOffered ? [] : native.flatMap(({ issues }) => issues)
  return {
    turn: {
      ...rest,
      calls: [...written.calls, ...calls],
      issues: [...(isActing ? written.issues : []), ...unread],
      repairs: [...written.repairs, ...native.flatMap(({ repairs }) => repairs)]
    },
    native: isOffered ? native : [],
    message: isOffered
      ? assistantMessage(shown, { calls: asked, thinking })
      : assistantMessage([shown.trim(), renderRefined({ calls })].filter((part) => part !== "").join("\n\n"))
  }
}
