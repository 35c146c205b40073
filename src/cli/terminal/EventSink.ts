/**
 * Where the events of a run go: JSON Lines on stdout. `LineSink` has progress on stderr.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { flattenEvent, type RecordedEvent, type RunEvent } from "../../domain/runs/RunEvent.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import { exitCodes } from "./Failure.ts"
import { Output, redactValue } from "./Output.ts"
import { Signals } from "./Signals.ts"
import { outputJson } from "../../domain/text/Json.ts"

/** Takes events; `abort` ends a stream that the run itself could not end. */
export interface EventSink {
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  readonly abort: (message: string) => Effect.Effect<void>
  /** How long persons took to answer questions so far, in milliseconds. */
  readonly personMs?: () => number
  /** The path of the project, once it is known. */
  readonly project?: () => string
}

/** The exit code of an interrupted run is that of the signal. */
const withSignal = (event: RunEvent, received: NodeJS.Signals | undefined): RunEvent =>
  event.type === "run.finished" && event.report.status === "interrupted" && received === "SIGTERM"
    ? { ...event, exitCode: exitCodes.sigterm }
    : event

const abortedReport = (runId: string, message: string, results: ReadonlyArray<TaskResult>): RunReport => ({
  runId,
  status: "failed",
  answer: "",
  message,
  issues: [],
  goals: "",
  results,
  failures: [],
  rounds: 0,
  usage: { modelCalls: 0, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }
})

/** One JSON object a line on stdout. A stream that has begun always gets a last line. */
export const jsonSink: Effect.Effect<EventSink, never, Output | Signals> = Effect.gen(function* () {
  const { result } = yield* Output
  const { received } = yield* Signals
  const results: Array<TaskResult> = []
  let openRun: string | undefined
  const listen = ({ at, event }: RecordedEvent) =>
    Effect.suspend(() => {
      if (event.type === "run.started") openRun = event.runId
      if (event.type === "run.finished") openRun = undefined
      if (event.type === "task.finished") results.push(event.result)
      return result(outputJson(redactValue(flattenEvent({ at, event: withSignal(event, received()) }) as Schema.Json)))
    })
  const abort = Effect.fnUntraced(function* (message: string) {
    if (openRun === undefined) return
    const report = abortedReport(openRun, message, results)
    const at = DateTime.formatIso(yield* DateTime.now)
    yield* listen({ at, event: { type: "run.finished", exitCode: exitCodes.failed, report } })
  })
  return { listen, abort }
})
