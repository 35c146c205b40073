/**
 * Tells a person who looks elsewhere that something has ended, or waits for them, as their configuration says. Part of the
 * composition root.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { RunEvent } from "../domain/runs/RunEvent.ts"
import { printable } from "../domain/text/Printable.ts"
import type { RunContext } from "./RunContext.ts"

/** What an event is worth to a person; nothing for most. The answers of a conversation end, and it ends itself with its person. */
const noticeOf = (event: RunEvent, isConversation: boolean): string | undefined => {
  if (event.type === "ask.finished") return `Answered: ${event.report.status}`
  if (event.type === "run.finished" && !isConversation) return `The run ended: ${event.report.status}`
  return event.type === "approval.requested" ? `A question waits: ${event.title}` : undefined
}

const bell = "\u0007"

/** What the terminal is sent. A question rings by itself. */
const sequences = {
  off: () => "",
  bell: (_text: string, isQuestion: boolean) => (isQuestion ? "" : bell),
  osc9: (text: string) => `\u001b]9;${text}${bell}`,
  osc777: (text: string) => `\u001b]777;notify;task-conductor;${text}${bell}`
} as const

/** The listener, which also gives notice. */
export const noticing = (
  { notice = "off" }: Configuration,
  { listen, terminal }: Pick<RunContext, "listen" | "terminal">,
  isConversation = false
): RunContext["listen"] => {
  const notify = terminal?.notify
  if (notify === undefined || notice === "off") return listen
  return (recorded) => {
    const text = noticeOf(recorded.event, isConversation)
    if (text === undefined) return listen(recorded)
    const shown = printable(text).replaceAll(";", ",")
    return Effect.andThen(
      listen(recorded),
      notify(sequences[notice](shown, recorded.event.type === "approval.requested"))
    )
  }
}
