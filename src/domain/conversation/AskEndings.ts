/**
 * How messages and conversations end that no model has ended.
 */
import type { AskEnding, AskReport } from "../runs/RunReport.ts"

/** A message without text. */
export const emptyMessage: AskEnding = {
  status: "failed",
  answer: "",
  reason: "The message is empty. Say what is to be done."
}

/** How a conversation ends that was not interrupted. An answer that the person stopped is not a failure. */
export const conversationEnding = (reports: ReadonlyArray<AskReport>, denied: ReadonlyArray<string>): AskEnding => {
  const last = reports.at(-1)
  const isDone = last === undefined || last.status === "done" || last.status === "interrupted"
  if (!isDone) return last
  return { status: denied.length > 0 ? "not_permitted" : "done", answer: last?.answer ?? "", reason: denied.join("\n") }
}
