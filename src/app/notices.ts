/**
 * Notifies the user at the terminal when work ends or a question waits, if the user's configuration asks for it. Part
 * of the composition root.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { RunEvent } from "../domain/runs/RunEvent.ts"
import { printable } from "../domain/text/Printable.ts"
import type { RunContext } from "./RunContext.ts"

/**
 * The notice for an event; undefined if the event needs none. The end of a conversation needs none, because the user
 * ends it.
 */
const noticeOf = (event: RunEvent, isConversation: boolean): string | undefined => {
  if (event.type === "ask.finished") return `Answered: ${event.report.status}`
  if (event.type === "run.finished" && !isConversation) return `The run ended: ${event.report.status}`
  return event.type === "approval.requested" ? `A question waits: ${event.title}` : undefined
}

const bell = "\u0007"

/** The control sequence for each kind of notice. A question needs no bell, because its prompt rings. */
const sequences = {
  off: () => "",
  bell: (_text: string, isQuestion: boolean) => (isQuestion ? "" : bell),
  osc9: (text: string) => `\u001b]9;${text}${bell}`,
  osc777: (text: string) => `\u001b]777;notify;task-conductor;${text}${bell}`
} as const

/** Wraps a listener so that it also sends notices. */
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
    const body = printable(text).replaceAll(";", ",")
    return Effect.andThen(
      listen(recorded),
      notify(sequences[notice](body, recorded.event.type === "approval.requested"))
    )
  }
}
