/**
 * Conversations for scripts, as promises: messages that are known beforehand, or a conversation that is held open.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Cause from "effect/Cause"
import type { AskReport, RunReport } from "../domain/runs/RunReport.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import { holdConversation } from "./lateApp.ts"
import { type RunHandle, startWork } from "./run.ts"
import {
  configurationOf,
  onThisMachine,
  orderFiles,
  orderMaterial,
  runContextOf,
  refuse,
  type ScriptOptions
} from "./scriptOptions.ts"
import type { AskSession } from "../services/conversation/Asker.ts"

/** How a script asks: `prompt` is one message, `messages` are several, each sent when the one before is answered. */
export interface AskOptions extends ScriptOptions {
  readonly prompt?: string
  readonly messages?: ReadonlyArray<string>
  /** The names of the tools that the model may call; all when absent. */
  readonly tools?: ReadonlyArray<string>
  /** Receives the text of the answers as it arrives; the events have only whole answers. */
  readonly onText?: (piece: string) => void
}

/** A conversation that runs by itself. The report has the answer to the last message. */
export interface AskHandle extends RunHandle {
  /** One report for each message that was taken up. Rejects as the report does. */
  readonly answers: Promise<ReadonlyArray<AskReport>>
}

/** A conversation that is held open. */
export interface Conversation {
  /** The id of the conversation, which processes that wait for it show too. */
  readonly runId: string
  /**
   * Sends a message and waits for its answer; messages wait for each other. Rejects only when there is no conversation:
   * it cannot begin, or is closed.
   */
  readonly send: (text: string, onText?: (piece: string) => void) => Promise<AskReport>
  /** Stops the answer that is being given and waits until it has stopped; the conversation stays open. */
  readonly stop: () => Promise<void>
  /** Ends the conversation when all that was sent is answered. */
  readonly close: () => Promise<RunReport>
  readonly events: RunHandle["events"]
}

const withAsker = <E>(
  options: AskOptions,
  listen: (recorded: RecordedEvent) => void,
  runId: string,
  use: (session: AskSession) => Effect.Effect<void, E>
) => {
  const { messages = [], project = ".", prompt = messages[0] ?? "", tools } = options
  return orderMaterial(options).pipe(
    Effect.flatMap((material) => {
      const order = { runId, prompt, ...orderFiles(options), ...material, tools }
      const conversation = { project, given: configurationOf(options), order }
      return holdConversation(conversation, runContextOf(options, listen), use)
    }),
    onThisMachine(options)
  )
}

/** Asks one message, or several one after another. Starts at once. */
export const ask = (given: string | AskOptions): AskHandle => {
  const options: AskOptions = typeof given === "string" ? { prompt: given } : given
  const { messages, onText, prompt, signal } = options
  const answers: Array<AskReport> = []
  const handle = startWork({ signal }, (listen, runId) => {
    if ((messages === undefined) === (prompt === undefined)) {
      return Effect.fail(refuse('Give either "prompt" or "messages".'))
    }
    const hear = (recorded: RecordedEvent): void => {
      if (recorded.event.type === "ask.finished") answers.push(recorded.event.report)
      listen(recorded)
    }
    return withAsker(options, hear, runId, ({ send }) =>
      Effect.forEach(messages ?? [prompt ?? ""], (text) => send(text, onText), { discard: true })
    )
  })
  const all = handle.report.then(() => answers)
  // The report rejects with the same failure, so an unused `answers` must not reject unhandled.
  all.catch(() => undefined)
  return { ...handle, answers: all }
}

interface Sent {
  readonly text: string
  readonly onText: ((piece: string) => void) | undefined
  readonly resolve: (report: AskReport) => void
  readonly reject: (error: unknown) => void
}

/** Opens a conversation that takes messages until it is closed. */
export const openConversation = (options: Omit<AskOptions, "prompt" | "messages"> = {}): Conversation => {
  const queue = Effect.runSync(Queue.unbounded<Sent, Cause.Done>())
  const open = new Set<Sent>()
  let current: { readonly sent: Sent; readonly fiber: Fiber.Fiber<AskReport> } | undefined
  let ending: Error | undefined

  const resolveCurrent = (report: AskReport): void => {
    if (current === undefined) return
    open.delete(current.sent)
    current.sent.resolve(report)
  }
  const answerAll = ({ send }: AskSession) =>
    Effect.gen(function* () {
      for (;;) {
        const sent = yield* Queue.take(queue)
        const fiber = yield* Effect.forkChild(send(sent.text, sent.onText ?? options.onText))
        current = { sent, fiber }
        yield* Fiber.await(fiber)
      }
    }).pipe(Effect.catchTag("Done", () => Effect.void))

  const handle = startWork({ signal: options.signal }, (listen, runId) =>
    withAsker(
      options,
      (recorded) => {
        listen(recorded)
        if (recorded.event.type === "ask.finished") resolveCurrent(recorded.event.report)
      },
      runId,
      answerAll
    )
  )
  const end = (error: unknown): void => {
    ending = error instanceof Error ? error : new Error(String(error))
    for (const { reject } of open) reject(ending)
    open.clear()
  }
  handle.report.then(({ message }) => end(new Error(message === "" ? "The conversation is closed." : message)), end)

  return {
    runId: handle.runId,
    events: handle.events,
    send: (text, onText) =>
      new Promise((resolve, reject) => {
        if (ending !== undefined) return reject(ending)
        const sent: Sent = { text, onText, resolve, reject }
        if (!Queue.offerUnsafe(queue, sent)) return reject(new Error("The conversation is closed."))
        open.add(sent)
      }),
    stop: () => (current === undefined ? Promise.resolve() : Effect.runPromise(Fiber.interrupt(current.fiber))),
    close: () => {
      Queue.endUnsafe(queue)
      return handle.report
    }
  }
}
