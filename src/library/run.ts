/**
 * Runs, plans and conversations for scripts, as promises. What goes on has a promise of its report, and events for any number
 * of readers; the messages of a conversation are known beforehand, or it is held open.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { type FlatEvent, flattenEvent, type RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { RunReport, AskReport } from "../domain/runs/RunReport.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import type { CheckedTaskList } from "../services/pipeline/Planner.ts"
import { beginRun, planRun, holdConversation, listConversations } from "./lateApp.ts"
import { withOptions } from "./optionNames.ts"
import {
  configurationOf,
  onThisMachine,
  orderFiles,
  orderMaterial,
  runContextOf,
  refuse,
  type ScriptOptions
} from "./scriptOptions.ts"
import type { ConversationSummary } from "../domain/conversation/Conversation.ts"
import type { AskSession } from "../services/conversation/AskSession.ts"

/** A run in progress. */
export interface RunHandle {
  /** The id of the run, also for the command line: `task-conductor resume ID`. */
  readonly runId: string
  /**
   * How the run ended, also when it failed, was declined or was interrupted. Rejects when the order cannot be carried
   * out at all: unknown skill, wrong configuration, no such project.
   */
  readonly report: Promise<RunReport>
  /** All events from the first on, whenever reading begins; each reader gets all of them. */
  readonly events: AsyncIterable<FlatEvent>
  /** Stops the run and waits until it has stopped. */
  readonly interrupt: () => Promise<void>
}

/**
 * The events of one run for readers outside Effect: one writer, any number of readers. They may come late, read more than
 * once, or never: nothing that counts is lost and nothing waits. `show` makes what a reader gets, when they get it: most
 * runs have no reader.
 */
export const makeEventHistory = <A, B>(show: (event: A) => B) => {
  const kept: Array<A> = []
  const waiting = new Set<(passing?: A) => void>()
  let ending: { readonly error: unknown } | undefined

  const wake = (passing?: A): void => {
    for (const resume of waiting) resume(passing)
    waiting.clear()
  }

  async function* read(): AsyncGenerator<B, void> {
    for (let index = 0; ; index++) {
      while (index >= kept.length) {
        if (ending !== undefined) {
          if (ending.error !== undefined) throw ending.error
          return
        }
        const passing = await new Promise<A | undefined>((resume) => waiting.add(resume))
        if (passing !== undefined) yield show(passing)
      }
      yield show(kept[index] as A)
    }
  }

  return {
    push: (event: A): void => {
      kept.push(event)
      wake()
    },
    /** Gives an event to the readers that wait for one now, and keeps it for nobody: a long run has very many of them. */
    pass: (event: A): void => wake(event),
    /** No more events; with an error every reader ends by throwing it. */
    end: (error?: unknown): void => {
      ending ??= { error }
      wake()
    },
    /** Every reader starts at the first event. */
    events: { [Symbol.asyncIterator]: read }
  }
}

/** Starts the work at once, under a new id unless it has one; `signal` interrupts it when it aborts. */
export const startWork = <E>(
  { runId = Effect.runSync(makeRunId), signal }: { readonly runId?: string; readonly signal?: AbortSignal | undefined },
  work: (listen: (recorded: RecordedEvent) => void, runId: string) => Effect.Effect<RunReport, E>
): RunHandle => {
  const history = makeEventHistory<RecordedEvent, FlatEvent>(flattenEvent)
  let last: RunReport | undefined
  const listen = (recorded: RecordedEvent): void => {
    if (recorded.event.type === "run.finished") last = recorded.event.report
    if (recorded.event.type === "model.progress") history.pass(recorded)
    else history.push(recorded)
  }
  const fiber = Effect.runFork(work(listen, runId))
  const interrupt = (): Promise<void> => Effect.runPromise(Fiber.interrupt(fiber))
  const report = Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    if (last !== undefined) return last
    if (Cause.hasInterruptsOnly(exit.cause)) throw new Error("The run was interrupted before it began.")
    throw Cause.squash(exit.cause)
  })
  report.then(
    () => history.end(),
    (error: unknown) => history.end(error)
  )
  if (signal?.aborted === true) void interrupt()
  signal?.addEventListener("abort", () => void interrupt(), { once: true })
  return { runId, report, events: history.events, interrupt }
}

/** How a script orders a run. */
export interface RunOptions extends ScriptOptions {
  readonly prompt: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
  /** Changes nothing, whatever is allowed; such a run may work at the same time as others in its project. */
  readonly readOnly?: boolean
  /** Ends as `done` although a check fails with the changes, or one of the option `checks` proves nothing. */
  readonly acceptUnverified?: boolean
  /** False saves nothing of the run: it cannot be resumed, and is in no list. */
  readonly keep?: boolean
}

/** The run that the options ask for. */
export const newRunOf = Effect.fnUntraced(function* (options: RunOptions, runId: string) {
  const { acceptUnverified, plan, project = ".", prompt, readOnly, skill } = options
  if (skill !== undefined && plan !== undefined) {
    return yield* refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.')
  }
  const order: RunOrder = {
    runId,
    prompt,
    ...orderFiles(options),
    ...(yield* orderMaterial(options)),
    ...(skill === undefined ? {} : { skill }),
    ...(plan === undefined ? {} : { plan }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(acceptUnverified === undefined ? {} : { acceptUnverified })
  }
  return { project, given: configurationOf(options), order }
})

const optionsOf = (given: string | RunOptions): RunOptions =>
  typeof given === "string" ? { prompt: given } : Object(given)

/** Runs a prompt. The run starts at once, and is saved unless the options say otherwise. */
export const run = (given: string | RunOptions): RunHandle => {
  const options = optionsOf(given)
  const { keep = true, signal } = options
  return startWork({ signal }, (listen, runId) =>
    withOptions(options, "run", () => newRunOf(options, runId)).pipe(
      Effect.flatMap((newRun) => beginRun({ ...newRun, keep }, runContextOf(options, listen))),
      onThisMachine(options)
    )
  )
}

/** Makes a task list and checks it, without running it. Rejects when no attempt gives a valid one. */
export const plan = (given: string | RunOptions): Promise<CheckedTaskList> => {
  const { plan: _plan, skill: _skill, ...options } = optionsOf(given)
  const planned = withOptions(options, "plan", () => makeRunId).pipe(
    Effect.flatMap((runId) => newRunOf(options, runId)),
    Effect.flatMap((newRun) =>
      planRun(
        newRun,
        runContextOf(options, () => undefined)
      )
    ),
    onThisMachine(options)
  )
  return Effect.runPromise(planned, { signal: options.signal })
}

/** How a script asks: `prompt` is one message, `messages` are several, each sent when the one before is answered. */
export interface AskOptions extends ScriptOptions {
  readonly prompt?: string
  readonly messages?: ReadonlyArray<string>
  /** The names of the tools that the model may call; all when absent. */
  readonly tools?: ReadonlyArray<string>
  /** Pictures for the first message, by their paths; a message may also name them as `@shot.png`. */
  readonly images?: ReadonlyArray<string>
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
  name: "ask" | "openConversation",
  options: AskOptions,
  listen: (recorded: RecordedEvent) => void,
  runId: string,
  use: (session: AskSession) => Effect.Effect<void, E>
) => {
  const { images = [], messages = [], project = ".", prompt = messages[0] ?? "", tools } = options
  return withOptions(options, name, () => orderMaterial(options)).pipe(
    Effect.flatMap((material) => {
      const order = { runId, prompt, ...orderFiles(options), ...material, images, tools }
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
    return withAsker("ask", options, hear, runId, ({ send }) =>
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

/** The conversations about a project that `ask` at a terminal, and editors, have kept, the last one first. */
export const conversations = (
  options: Pick<ScriptOptions, "project" | "stateFolder"> = {}
): Promise<ReadonlyArray<ConversationSummary>> =>
  withOptions(options, "conversations", () => listConversations(options.project ?? ".")).pipe(
    onThisMachine(options),
    Effect.runPromise
  )

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
      "openConversation",
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
