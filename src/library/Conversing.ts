/**
 * A conversation that a program holds open: messages wait for each other, and each has an answer.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { AskReport, RunReport } from "../domain/runs/RunReport.ts"
import type { AskSession } from "../services/conversation/AskSession.ts"
import { type Listen, type StartedRun, startRun } from "./StartedRun.ts"

/** There is no conversation: it could not begin, or has ended. */
export class ConversationClosed extends Schema.TaggedError<ConversationClosed>()("ConversationClosed", {
  why: Schema.String
}) {
  override get message(): string {
    return this.why === "" ? "The conversation is closed." : this.why
  }
}

type HearText = (piece: string) => void

/** A conversation that is held open. */
export interface Conversing<E> extends Omit<StartedRun<RunReport, E>, "report"> {
  /** The report of the conversation, once it has ended. */
  readonly ended: Effect.Effect<RunReport, E>
  /** Sends a message and waits for its answer; fails only when there is no conversation. */
  readonly send: (text: string, onText?: HearText) => Effect.Effect<AskReport, ConversationClosed>
  /** Stops the answer that is being given and waits until it has stopped; the conversation stays open. */
  readonly stop: Effect.Effect<void>
  /** Ends the conversation when all that was sent is answered. */
  readonly close: Effect.Effect<RunReport, E>
}

interface Sent {
  readonly text: string
  readonly onText: HearText | undefined
  readonly answer: Deferred.Deferred<AskReport, ConversationClosed>
}

/** What a message gets whose answer broke off. */
const brokenOff = (cause: Cause.Cause<unknown>) =>
  Exit.fail(new ConversationClosed({ why: `The answer broke off: ${String(Cause.squash(cause))}` }))

/** Holds a conversation as long as `use` does. */
type Hold<E, R> = (listen: Listen, use: (session: AskSession) => Effect.Effect<void>) => Effect.Effect<RunReport, E, R>

/** Opens a conversation that takes messages until it is closed. */
export const converseWith = Effect.fnUntraced(function* <E, R>(
  runId: string,
  onText: HearText | undefined,
  hold: Hold<E, R>
) {
  const queue = yield* Queue.unbounded<Sent, Cause.Done>()
  const open = new Set<Sent>()
  let current: { readonly sent: Sent; readonly fiber: Fiber.Fiber<AskReport> } | undefined
  let ended: ConversationClosed | undefined

  const resolveCurrent = (report: AskReport): void => {
    if (current === undefined) return
    open.delete(current.sent)
    Deferred.doneUnsafe(current.sent.answer, Exit.succeed(report))
  }
  const answerAll = ({ send }: AskSession): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        const sent = yield* Queue.take(queue)
        const fiber = yield* Effect.forkChild(send(sent.text, sent.onText ?? onText))
        current = { sent, fiber }
        const exit = yield* Fiber.await(fiber)
        /* An answer that broke off, as by an error of what hears it, has no event. */
        if (open.delete(sent)) Deferred.doneUnsafe(sent.answer, Exit.isSuccess(exit) ? exit : brokenOff(exit.cause))
      }
    }).pipe(Effect.catchTag("Done", () => Effect.void))

  const end = (exit: Exit.Exit<RunReport, E>): void => {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    ended = new ConversationClosed({
      why: Exit.isSuccess(exit) ? exit.value.message : error instanceof Error ? error.message : String(error)
    })
    for (const { answer } of open) Deferred.doneUnsafe(answer, Exit.fail(ended))
    open.clear()
  }
  const started = yield* startRun(
    runId,
    (listen) =>
      hold((recorded) => {
        listen(recorded)
        if (recorded.event.type === "ask.finished") resolveCurrent(recorded.event.report)
      }, answerAll).pipe(Effect.onExit((exit) => Effect.sync(() => end(exit)))),
    (report: RunReport) => report
  )

  const send = Effect.fnUntraced(function* (text: string, hear?: HearText) {
    if (ended !== undefined) return yield* ended
    const sent: Sent = { text, onText: hear, answer: yield* Deferred.make<AskReport, ConversationClosed>() }
    if (!Queue.offerUnsafe(queue, sent)) return yield* new ConversationClosed({ why: "" })
    open.add(sent)
    return yield* Deferred.await(sent.answer)
  })
  const conversation: Conversing<E> = {
    runId,
    events: started.events,
    ended: started.report,
    send,
    stop: Effect.suspend(() => (current === undefined ? Effect.void : Fiber.interrupt(current.fiber))),
    close: Effect.andThen(
      Effect.sync(() => Queue.endUnsafe(queue)),
      started.report
    )
  }
  return conversation
})
