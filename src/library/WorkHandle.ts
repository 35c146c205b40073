/**
 * Work as scripts hold it: a promise of its report, events for any number of readers, and a way to stop it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { FlatEvent } from "../domain/runs/RunEvent.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import { isSignal } from "./optionNames.ts"
import { type Listen, type StartedRun, startRun } from "./StartedRun.ts"

/** Work that goes on. */
export interface WorkHandle<Report> {
  /** The id of the run, also for the command line: `task-conductor resume ID`. */
  readonly runId: string
  /**
   * How the work ended. Rejects when it could not begin: unknown skill, wrong configuration, no such project; and with an `AbortError`
   * when it was stopped before that. A run that has begun resolves, also when it failed, was declined or was interrupted.
   */
  readonly report: Promise<Report>
  /** All events from the first on, whenever reading begins; each reader gets all of them. */
  readonly events: AsyncIterable<FlatEvent>
  /** Stops the work and waits until it has stopped. */
  readonly interrupt: () => Promise<void>
}

/** A run in progress. */
export type RunHandle = WorkHandle<RunReport>

/** What a promise rejects with whose work was stopped; `cause` is the reason of the signal. */
export const abortError = (signal?: AbortSignal): DOMException =>
  new DOMException("The work was interrupted before it had a report.", { name: "AbortError", cause: signal?.reason })

/** What an exit rejects with. */
export const rejectionOf = (cause: Cause.Cause<unknown>, signal?: AbortSignal): unknown =>
  Cause.hasInterruptsOnly(cause) ? abortError(signal) : Cause.squash(cause)

/** Runs an effect as a promise, by the same rule. */
export const promiseOf = async <A, E>(work: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  const exit = await Effect.runPromiseExit(work, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw rejectionOf(exit.cause, signal)
}

/** How work of a script starts. */
export interface StartOptions {
  /** The id of the work; a new one when absent. */
  readonly runId?: string
  readonly signal?: AbortSignal | undefined
}

type ReportOf<Started> = Started extends StartedRun<infer Report, unknown> ? Report : never

/** Starts work at once; `signal` interrupts it when it aborts. */
export const startHandle = <Started extends StartedRun<unknown, unknown>, E>(
  { runId = Effect.runSync(makeRunId), signal: givenSignal }: StartOptions,
  start: (runId: string) => Effect.Effect<Started, E, Scope.Scope>
) => {
  /* Another value is a wrong option, which the work itself says. */
  const signal = isSignal(givenSignal) ? givenSignal : undefined
  const { promise: started, reject, resolve } = Promise.withResolvers<Started>()
  /* Whoever reads the report or the events gets the error. */
  started.catch(() => undefined)
  const whole = Effect.scoped(
    Effect.flatMap(start(runId), (begun) => {
      resolve(begun)
      return Effect.asVoid(Effect.exit(begun.report))
    })
  )
  const fiber = Effect.runFork(whole)
  const ended = Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isFailure(exit)) reject(rejectionOf(exit.cause, signal))
  })
  const report = ended.then(async () => (await promiseOf((await started).report, signal)) as ReportOf<Started>)
  async function* read(): AsyncGenerator<FlatEvent, void> {
    yield* Stream.toAsyncIterable((await started).events)
    /* A reader learns from the events, too, that there is no report. */
    await report
  }
  /* Whoever reads only the events gets the error there. */
  report.catch(() => undefined)
  const interrupt = (): Promise<void> => Effect.runPromise(Fiber.interrupt(fiber))
  const onAbort = (): void => void interrupt()
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener("abort", onAbort)
  void ended.then(() => signal?.removeEventListener("abort", onAbort))
  const handle: WorkHandle<ReportOf<Started>> = { runId, report, events: { [Symbol.asyncIterator]: read }, interrupt }
  return { handle, started }
}

/** Starts work that gives the report of a run. */
export const startWork = <E>(
  options: StartOptions,
  work: (listen: Listen, runId: string) => Effect.Effect<RunReport, E>
): RunHandle =>
  startHandle(options, (runId) =>
    startRun(
      runId,
      (listen) => work(listen, runId),
      (last) => last
    )
  ).handle
