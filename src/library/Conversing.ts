/** Holds a conversation open for a program, and answers its messages one after another. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AskReport, RunReport } from "../domain/runs/RunReport.ts"
import type { AskSession } from "../services/conversation/AskSession.ts"
import { type ConversationClosed, type HearText, makeMessageQueue } from "../services/conversation/MessageQueue.ts"
import { type Listen, type StartedRun, startRun } from "./StartedRun.ts"

/** A conversation that is held open. */
export interface Conversing<E> extends Omit<StartedRun<RunReport, E>, "report"> {
  /** The report of the conversation, available at its end. */
  readonly ended: Effect.Effect<RunReport, E>
  /** Sends a message and waits for its answer. Fails only if the conversation could not begin or has ended. */
  readonly send: (text: string, onText?: HearText) => Effect.Effect<AskReport, ConversationClosed>
  /** Stops the current answer and waits until it has stopped. The conversation stays open. */
  readonly stop: Effect.Effect<void>
  /** Waits for the answers to all sent messages, then ends the conversation. */
  readonly close: Effect.Effect<RunReport, E>
}

/** Says why an ended conversation takes no more messages. */
const whyEnded = (exit: Exit.Exit<RunReport, unknown>): string => {
  if (Exit.isSuccess(exit)) return exit.value.message
  const error = Cause.squash(exit.cause)
  return error instanceof Error ? error.message : String(error)
}

/** Opens a conversation, passes it to `use`, and closes it when `use` ends. */
type Hold<E, R> = (listen: Listen, use: (session: AskSession) => Effect.Effect<void>) => Effect.Effect<RunReport, E, R>

export const converseWith = Effect.fnUntraced(function* <E, R>(
  runId: string,
  onText: HearText | undefined,
  hold: Hold<E, R>
) {
  const messages = yield* makeMessageQueue
  const { events, report } = yield* startRun(
    runId,
    (listen) =>
      hold((recorded) => {
        listen(recorded)
        messages.hear(recorded.event)
      }, messages.answerAll).pipe(Effect.onExit((exit) => Effect.sync(() => messages.end(whyEnded(exit))))),
    (last: RunReport) => last
  )
  const conversation: Conversing<E> = {
    runId,
    events,
    ended: report,
    send: (text, hear = onText) => messages.send(text, hear),
    stop: Effect.asVoid(messages.stop),
    close: Effect.andThen(messages.close, report)
  }
  return conversation
})
