/**
 * Where the events of a run go: JSON Lines on stdout, or progress on stderr.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { flattenEvent, type RecordedEvent, type RunEvent } from "../../domain/runs/RunEvent.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import { isSignOfLife } from "../../domain/runs/SignOfLife.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import type { Paint } from "./Colour.ts"
import { exitCodes } from "./Failure.ts"
import { Output } from "./Output.ts"
import { redactEvent, redactText, redactValue } from "./Redacted.ts"
import { progressLine } from "./Progress.ts"
import { Signals } from "./Signals.ts"
import { printableJson } from "../../domain/text/Printable.ts"

/** Takes events; `abort` ends a stream that the run itself could not end. */
export interface EventSink {
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  readonly abort: (message: string) => Effect.Effect<void>
}

/** Serializes lines: while a question waits for its answer, all other lines wait too, so that it stays visible. */
const makeLineOrder = () => {
  const waiting: Array<string> = []
  let isAsked = false
  return ({ type }: RunEvent, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (type === "approval.requested") {
      isAsked = true
      return lines
    }
    if (type === "approval.answered" || type === "run.finished") {
      isAsked = false
      const late = waiting.splice(0)
      return type === "run.finished" ? [...late, ...lines] : [...lines, ...late]
    }
    if (!isAsked) return lines
    waiting.push(...lines)
    return []
  }
}

/** A sign of life is of no use so soon after another line, in milliseconds. */
const soon = 5000

/** Says which signs of life are shown: only where there would be silence, and not while a question waits for its answer. */
const makeLifeFilter = () => {
  let shownAt = -Infinity
  let isAsked = false
  return {
    hides: ({ at, event }: RecordedEvent): boolean =>
      isSignOfLife(event) && (isAsked || Date.parse(at) - shownAt < soon),
    shown: ({ at, event }: RecordedEvent, hasLine: boolean): void => {
      if (event.type === "approval.requested") isAsked = true
      if (event.type === "approval.answered") isAsked = false
      if (hasLine) shownAt = Date.parse(at)
    }
  }
}

/** Plain lines for a person, as `line` formats them. */
export const lineSink = Effect.fnUntraced(function* (line: (event: RunEvent, paint: Paint) => string | undefined) {
  const { tell, tellPaint } = yield* Output
  const order = makeLineOrder()
  const life = makeLifeFilter()
  const sink: EventSink = {
    listen: (recorded) =>
      Effect.suspend(() => {
        if (life.hides(recorded)) return Effect.void
        const { event } = recorded
        const text = line(redactEvent(event), tellPaint)
        life.shown(recorded, text !== undefined)
        return Effect.forEach(order(event, text === undefined ? [] : [redactText(text)]), tell, { discard: true })
      }),
    abort: () => Effect.void
  }
  return sink
})

/** The progress of a run; on request with everything that the model is told about its answers. */
export const progressSink = (isVerbose: boolean): Effect.Effect<EventSink, never, Output> =>
  lineSink((event, paint) => progressLine(event, paint, isVerbose))

/** Only errors, for a person who wants the answer alone. */
export const quietSink: Effect.Effect<EventSink, never, Output> = lineSink((event, paint) =>
  event.type === "message" && event.level === "error" ? progressLine(event, paint) : undefined
)

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
      return result(
        printableJson(redactValue(flattenEvent({ at, event: withSignal(event, received()) }) as Schema.Json))
      )
    })
  const abort = Effect.fnUntraced(function* (message: string) {
    if (openRun === undefined) return
    const report = abortedReport(openRun, message, results)
    const at = DateTime.formatIso(yield* DateTime.now)
    yield* listen({ at, event: { type: "run.finished", exitCode: exitCodes.failed, report } })
  })
  return { listen, abort }
})
