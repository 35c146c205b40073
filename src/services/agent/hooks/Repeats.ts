/** Ends work that goes in circles: the same call that gives the same output again and again. */
import { callSign } from "../../../domain/documents/TaskOutcome.ts"
import { outcomeText } from "../../../domain/models/OutputText.ts"
import type { CallOutcome, ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { AgentHook } from "../AgentHook.ts"

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

/** `most` is limits.identicalCalls. */
export const repeats = (most: number): AgentHook => ({
  endOf: ({ outcomes }) => {
    const call = repeatedCall(outcomes, most)
    return call === undefined ? undefined : { _tag: "Repeated", call }
  }
})
