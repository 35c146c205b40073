/**
 * One answer of a model in the turns of a task or a message: its text, and the calls that it made through the interface of its
 * server. Each such call is answered by a message of its own, and text beside them is no report.
 */
import type { Issue, Repair } from "../findings/Issue.ts"
import { assistantMessage, type AssistantMessage } from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { turnUid } from "../tools/ToolCallFormat.ts"
import type { UnmadeChange } from "../tools/UnmadeChange.ts"
import { callSign } from "./Refinement.ts"
import { renderRefined } from "./TaskRendering.ts"
import { type Answered, nothingAsked, readAskedCall } from "./TurnFormat.ts"
import type { CallAnswer } from "./TurnReply.ts"
import type { PlainReply } from "./UnusableAnswer.ts"

export interface ModelReply extends PlainReply {
  readonly thinking: string
  /** The calls of the interface. */
  readonly asked: ReadonlyArray<AskedCall>
}

/** A reply as it was read: what it asks for, and itself as a message. */
export interface ParsedReply {
  readonly turn: Answered
  /** The calls of the interface that are answered one by one. */
  readonly native: ReadonlyArray<ReturnType<typeof readAskedCall>>
  readonly message: AssistantMessage
}

/** One call of a reply, checked; `wanted` is how it was written. */
interface CheckedCall {
  readonly wanted: ToolCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The calls and changes of a reply, checked. */
export interface CheckedCalls {
  readonly calls: ReadonlyArray<CheckedCall>
  /** Issues of changes that became no call. */
  readonly issues: ReadonlyArray<Issue>
  /** Changes that are not made; they stay open. */
  readonly unmade: ReadonlyArray<UnmadeChange>
  /** The issue of more calls than one turn may make. */
  readonly tooMany: ReadonlyArray<Issue>
  /** Where replaced texts stood, a sentence each. */
  readonly replaced: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<Repair>
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
  written: Answered,
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

/** Issues of a reply, without those of calls of the interface, which get them in their own answers. */
export const replyIssues = ({ native, turn }: ParsedReply, checked: CheckedCalls): ReadonlyArray<Issue> => {
  const nativeSigns = new Set(native.map(({ call }) => callSign(call)))
  return [
    ...turn.issues,
    ...checked.issues,
    ...checked.calls.flatMap(({ issues, wanted }) => (nativeSigns.has(callSign(wanted)) ? [] : issues)),
    ...(native.length === 0 ? checked.tooMany : [])
  ]
}

/** True when nothing is wrong with a reply and its calls. */
export const isFaultless = ({ native, turn }: ParsedReply, { calls, issues, tooMany }: CheckedCalls): boolean =>
  turn.issues.length + issues.length + tooMany.length === 0 &&
  [...calls, ...native].every((call) => call.issues.length === 0)

/** The answers to the calls of the interface, one for each. */
export const nativeAnswers = (
  { native }: ParsedReply,
  { calls, tooMany }: CheckedCalls,
  outcomes: ReadonlyArray<CallOutcome>,
  turn: number
): ReadonlyArray<CallAnswer> =>
  native.map(({ asked, call, issues }) => {
    const match = calls.find(({ wanted }) => callSign(wanted) === callSign(call))
    const uid = turnUid(turn, match?.call.uid ?? "")
    const outcome = issues.length > 0 ? undefined : outcomes.find((ran) => ran.call.uid === uid)
    return { asked, outcome, issues: issues.length > 0 ? issues : (match?.issues ?? tooMany) }
  })
