/**
 * Ends the work if the model repeats a call and gets the same output. The model may repeat a call whose output a
 * compaction dropped; a note tells it so.
 */
import { callSign } from "../../../domain/documents/TaskOutcome.ts"
import { outcomeText } from "../../../domain/models/OutputText.ts"
import { turnNumber } from "../../../domain/tools/ToolCallFormat.ts"
import type { CallOutcome, ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { AgentHook } from "../AgentHook.ts"

/**
 * One limit of identical calls counts only outputs that are still in the conversation. A second limit, larger by this
 * factor, counts all outputs.
 */
const acrossCompactions = 2

/** A call that has given the same output `most` times. */
const repeatedCall = (outcomes: ReadonlyArray<CallOutcome>, most: number): ToolCall | undefined => {
  const counts = new Map<string, number>()
  return outcomes.find((outcome) => {
    const sign = `${callSign(outcome.call)}\n${outcomeText(outcome)}`
    const count = (counts.get(sign) ?? 0) + 1
    counts.set(sign, count)
    return count >= most
  })?.call
}

/** Makes the hook. `most` is the setting `limits.identicalCalls`. */
export const repeats = (most: number): AgentHook => ({
  endOf: ({ outcomes, shownFrom }) => {
    const shown = outcomes.filter(({ call: { uid } }) => turnNumber(uid) >= shownFrom)
    const call = repeatedCall(shown, most) ?? repeatedCall(outcomes, most * acrossCompactions)
    return call === undefined ? undefined : { _tag: "Repeated", call }
  }
})
