/**
 * The queue of messages of an open conversation. `answerAll` answers them one after another, until the queue is closed.
 * Each sender gets the answer to its own message.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { AskReport } from "../../domain/runs/RunReport.ts"
import type { AskSession } from "./AskSession.ts"

/** Says that the conversation could not begin, or that it has ended. */
export class ConversationClosed extends Schema.TaggedError<ConversationClosed>()("ConversationClosed", {
  why: Schema.String
}) {
  override get message(): string {
    return this.why === "" ? "The conversation is closed." : this.why
  }
}

/** Receives the text of an answer as it arrives. */
export type HearText = (piece: string) => void

interface SentMessage {
  readonly text: string
  readonly onText: HearText | undefined
  readonly answer: Deferred.Deferred<AskReport, ConversationClosed>
}

/** The result for a message whose answer failed with an internal error. */
const brokenOff = (cause: Cause.Cause<unknown>) =>
  Exit.fail(new ConversationClosed({ why: `The answer broke off: ${String(Cause.squash(cause))}` }))

export const makeMessageQueue = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<SentMessage, Cause.Done>()
  /** Messages that still need an answer. */
  const open = new Set<SentMessage>()
  let current: { readonly message: SentMessage; readonly fiber: Fiber.Fiber<AskReport> } | undefined
  let ended: ConversationClosed | undefined

  const resolve = (message: SentMessage, answer: Exit.Exit<AskReport, ConversationClosed>): void => {
    if (open.delete(message)) Deferred.doneUnsafe(message.answer, answer)
  }
  return {
    answerAll: ({ send }: Pick<AskSession, "send">): Effect.Effect<void> =>
      Effect.gen(function* () {
        for (;;) {
          const message = yield* Queue.take(queue)
          const fiber = yield* Effect.forkChild(send(message.text, message.onText))
          current = { message, fiber }
          const exit = yield* Fiber.await(fiber)
          current = undefined
          /* No event reports an internal error, so the sender gets it here. */
          resolve(message, Exit.isSuccess(exit) ? exit : brokenOff(exit.cause))
        }
      }).pipe(Effect.catchTag("Done", () => Effect.void)),
    /** Takes the report of a stopped answer from the event, because nothing else contains this report. */
    hear: (event: RunEvent): void => {
      if (event.type === "ask.finished" && current !== undefined) resolve(current.message, Exit.succeed(event.report))
    },
    /** Sends a message and waits for its answer. Fails if the conversation has ended or the answer breaks off. */
    send: Effect.fnUntraced(function* (text: string, onText?: HearText) {
      if (ended !== undefined) return yield* ended
      const message = { text, onText, answer: yield* Deferred.make<AskReport, ConversationClosed>() }
      if (!Queue.offerUnsafe(queue, message)) return yield* new ConversationClosed({ why: "" })
      open.add(message)
      return yield* Deferred.await(message.answer)
    }),
    /** Stops the current answer and waits until it has stopped. Returns false if there is no current answer. */
    stop: Effect.suspend(() =>
      current === undefined ? Effect.succeed(false) : Effect.as(Fiber.interrupt(current.fiber), true)
    ),
    /** Accepts no more messages. Messages already sent are still answered. */
    close: Effect.sync(() => Queue.endUnsafe(queue)),
    /** Ends the conversation. Every message without an answer and every later message fails. */
    end: (why: string): void => {
      ended = new ConversationClosed({ why })
      for (const message of open) resolve(message, Exit.fail(ended))
    }
  }
})
