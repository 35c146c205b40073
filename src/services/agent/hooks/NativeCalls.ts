/**
 * Calls that a model makes through the interface of its server, beside or in the place of calls in its text. Each is answered by a
 * message of its own. Text beside them is no report.
 */
import { renderRefined } from "../../../domain/documents/TaskRendering.ts"
import { type Answered, nothingAsked, readAskedCall } from "../../../domain/documents/TurnFormat.ts"
import type { CallAnswer } from "../../../domain/documents/TurnReply.ts"
import { callSign } from "../../../domain/documents/Refinement.ts"
import type { Issue } from "../../../domain/findings/Issue.ts"
import type { AskedCall } from "../../../domain/models/ModelAnswer.ts"
import { toolCallsFor } from "../../../domain/models/Generation.ts"
import type { CallOutcome } from "../../../domain/tools/ToolCall.ts"
import { turnUid } from "../../../domain/tools/ToolCallFormat.ts"
import { assistantMessage } from "../../../domain/models/ConversationMessage.ts"
import type { Settings } from "../../runs/RunSettings.ts"
import type { CheckedCall, ParsedReply } from "../Turn.ts"
import type { Assignment } from "../Session.ts"

/** True when the model is offered its tools through the interface. */
export const isNative = (settings: Settings, { id, skill }: Pick<Assignment, "id" | "skill">): boolean =>
  toolCallsFor(settings, id.stage, skill?.model) === "native"

/** The reply with its calls of the interface; `written` is what its text asks for. */
export const withNativeCalls = (
  {
    asked,
    shown,
    thinking
  }: { readonly asked: ReadonlyArray<AskedCall>; readonly shown: string; readonly thinking: string },
  written: Answered,
  isOffered: boolean
): ParsedReply => {
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

/** The text alone, without calls of the interface. */
export const withoutNativeCalls = (shown: string, turn: Answered = nothingAsked): ParsedReply => ({
  turn,
  native: [],
  message: assistantMessage(shown)
})

/** The answers to calls of the interface, one for each. */
export const nativeAnswers = (
  { native }: Pick<ParsedReply, "native">,
  checked: ReadonlyArray<CheckedCall>,
  outcomes: ReadonlyArray<CallOutcome>,
  turn: number,
  tooMany: ReadonlyArray<Issue>
): ReadonlyArray<CallAnswer> =>
  native.map(({ asked, call, issues }) => {
    const match = checked.find(({ wanted }) => callSign(wanted) === callSign(call))
    const uid = turnUid(turn, match?.call.uid ?? "")
    const outcome = issues.length > 0 ? undefined : outcomes.find((made) => made.call.uid === uid)
    return { asked, outcome, issues: issues.length > 0 ? issues : (match?.issues ?? tooMany) }
  })
