/** The handle of work for scripts: a promise of its report, its events, and a way to stop it. */
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

/** Work in progress. */
export interface WorkHandle<Report> {
  /** The id of the run, also for the command line: `task-conductor resume ID`. */
  readonly runId: string
  /**
   * The report at the end. Rejects if the work could not begin, for example because of an unknown skill. Rejects with
   * an `AbortError` if the work was stopped before it began. A run that has begun resolves even if it failed, was
   * declined or was interrupted.
   */
  readonly report: Promise<Report>
  /** All events, from the first on, for each reader. */
  readonly events: AsyncIterable<FlatEvent>
  /** Stops the work and waits until it has stopped. */
  readonly interrupt: () => Promise<void>
}

/** A run in progress. */
export type RunHandle = WorkHandle<RunReport>

/** The error with which promises of stopped work reject. Its `cause` is the reason of the signal. */
export const abortError = (signal?: AbortSignal): DOMException =>
  new DOMException("The work was interrupted before it had a report.", { name: "AbortError", cause: signal?.reason })

/** The error with which a promise rejects. */
export const rejectionOf = (cause: Cause.Cause<unknown>, signal?: AbortSignal): unknown =>
  Cause.hasInterruptsOnly(cause) ? abortError(signal) : Cause.squash(cause)

/** Runs an effect as a promise. The promise rejects with the error of the effect. */
export const promiseOf = async <A, E>(work: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  const exit = await Effect.runPromiseExit(work, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw rejectionOf(exit.cause, signal)
}

/** The options for starting work of a script. */
export interface StartOptions {
  /** The id of the work. Default: a new one. */
  readonly runId?: string
  readonly signal?: AbortSignal | undefined
}

type ReportOf<Started> = Started extends StartedRun<infer Report, unknown> ? Report : never

/** Starts work at once. Aborting `signal` interrupts it. */
export const startHandle = <Started extends StartedRun<unknown, unknown>, E>(
  { runId = Effect.runSync(makeRunId), signal: givenSignal }: StartOptions,
  start: (runId: string) => Effect.Effect<Started, E, Scope.Scope>
) => {
  /** A signal of a wrong type is ignored here, because the work itself reports the wrong option. */
  const signal = isSignal(givenSignal) ? givenSignal : undefined
  const { promise: started, reject, resolve } = Promise.withResolvers<Started>()
  /** Prevents an unhandled rejection. Readers of the report or of the events get the error. */
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
    /** If the report fails, readers of the events get its error, too. */
    await report
  }
  /** Prevents an unhandled rejection for a caller that reads only the events, which also report the error. */
  report.catch(() => undefined)
  const interrupt = (): Promise<void> => Effect.runPromise(Fiber.interrupt(fiber))
  const onAbort = (): void => void interrupt()
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener("abort", onAbort)
  void ended.then(() => signal?.removeEventListener("abort", onAbort))
  const handle: WorkHandle<ReportOf<Started>> = { runId, report, events: { [Symbol.asyncIterator]: read }, interrupt }
  return { handle, started }
}

/** Starts work that ends with the report of a run. */
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
