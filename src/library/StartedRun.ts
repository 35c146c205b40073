/** Work in progress: a run, a plan or a conversation, with events for any number of readers and a report. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { type FlatEvent, flattenEvent, type RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import { inOptionWords } from "./ConductorError.ts"
import { makeEventHistory } from "./EventHistory.ts"

/** Work in progress. Closing its scope interrupts it, and waits until it has stopped. */
export interface StartedRun<Report, E> {
  /** The id of the run, also for the command line: `task-conductor resume ID`. */
  readonly runId: string
  /** All events, from the first on, for each reader. The stream ends with the work, without an error. */
  readonly events: Stream.Stream<FlatEvent>
  /** The report at the end. Work that has begun has a report even if it failed, was declined or was interrupted. */
  readonly report: Effect.Effect<Report, E>
}

const reportInWords = <Report>(report: Report): Report => {
  const { message } = Object(report) as { readonly message?: unknown }
  return typeof message === "string" ? { ...report, message: inOptionWords(message) } : report
}

const inWords = (event: FlatEvent): FlatEvent => {
  switch (event.type) {
    case "message":
      return { ...event, text: inOptionWords(event.text) }
    case "run.finished":
      return { ...event, report: reportInWords(event.report) }
    default:
      return event
  }
}

/** Receives the events of work. */
export type Listen = (recorded: RecordedEvent) => void

/**
 * Starts work under an id. Fails if the work fails before its first event. If the work is interrupted later, `ofLast`
 * makes the result from the report in the last event.
 */
export const startRun = Effect.fnUntraced(function* <Report, E, R>(
  runId: string,
  work: (listen: Listen) => Effect.Effect<Report, E, R>,
  ofLast?: (last: RunReport) => Report
): Effect.fn.Return<StartedRun<Report, E>, E, R | Scope.Scope> {
  const { end, pass, push, stream } = makeEventHistory<RecordedEvent, FlatEvent>((recorded) =>
    inWords(flattenEvent(recorded))
  )
  const begun = yield* Deferred.make<void, E>()
  let last: RunReport | undefined
  const listen: Listen = (recorded) => {
    if (recorded.event.type === "run.finished") last = reportInWords(recorded.event.report)
    if (recorded.event.type === "model.progress") pass(recorded)
    else push(recorded)
    Deferred.doneUnsafe(begun, Exit.void)
  }
  const fiber = yield* work(listen).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        end()
        Deferred.doneUnsafe(begun, Exit.asVoid(exit))
      })
    ),
    Effect.forkScoped
  )
  yield* Deferred.await(begun)
  const report = Effect.flatMap(Fiber.await(fiber), (exit) =>
    Exit.isFailure(exit)
      ? last !== undefined && ofLast !== undefined
        ? Effect.succeed(ofLast(last))
        : exit
      : Effect.succeed(reportInWords(exit.value))
  )
  return { runId, events: stream, report }
})
