/**
 * A running run for a script: a promise of the report, and events for any number of readers.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type FlatEvent, flattenEvent, type RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import { makeRunId } from "../services/runs/RunId.ts"

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
 * The events of one run for readers outside Effect: one writer, any number of readers. They may come late, read more than once,
 * or never: nothing that counts is lost and nothing waits.
 */
export interface EventHistory<A, B = A> {
  readonly push: (event: A) => void
  /** Gives an event to the readers that wait for one now, and keeps it for nobody: a long run has very many of them. */
  readonly pass: (event: A) => void
  /** No more events; with an error every reader ends by throwing it. */
  readonly end: (error?: unknown) => void
  /** Every reader starts at the first event. */
  readonly events: AsyncIterable<B>
}

/** An empty history; `show` makes what a reader gets, when they get it: most runs have no reader. */
export const makeEventHistory = <A, B>(show: (event: A) => B): EventHistory<A, B> => {
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
    push: (event) => {
      kept.push(event)
      wake()
    },
    pass: wake,
    end: (error) => {
      ending ??= { error }
      wake()
    },
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
