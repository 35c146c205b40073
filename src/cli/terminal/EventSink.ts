/**
 * Prints the events of a run, as JSON Lines on stdout or as progress lines on stderr. On a terminal, a region below the
 * lines is redrawn. While a question is open, nothing is drawn or printed.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { jsonEvents, type RecordedEvent, type RunEvent, isHeartbeat, isTransient } from "../../domain/runs/RunEvent.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import { exitCodes } from "./Failure.ts"
import { Output, redactValue, redactEvent, redactText } from "./Output.ts"
import { Signals } from "./Signals.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { type LiveState, emptyLive, liveStateAfter, isLively } from "../../domain/runs/LiveState.ts"
import { printable } from "../../domain/text/Printable.ts"
import { cutText } from "../../domain/text/TextWidth.ts"
import { liveView } from "../../domain/runs/LiveView.ts"
import { marksAt } from "../../domain/runs/LiveText.ts"
import { type Paint, paintLine } from "./Colour.ts"
import { progressLine, type ProgressOptions } from "./Progress.ts"

/** Receives the events of a run. `abort` ends the stream of events if the run cannot end it. */
export interface EventSink {
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  readonly abort: (message: string) => Effect.Effect<void>
  /** How long the user has taken for answers, in milliseconds. */
  readonly userMs?: () => number
  /** The path of the project; empty until it is known. */
  readonly project?: () => string
}

/** Gives an interrupted run the exit code of its signal. */
const withSignal = (event: RunEvent, received: "SIGINT" | "SIGTERM" | undefined): RunEvent =>
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

/** Prints each event as a line of JSON on stdout. The last line always tells how a started run ended. */
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
      const lines = jsonEvents({ at, event: withSignal(event, received()) })
      return Effect.forEach(lines, (line) => result(outputJson(redactValue(line as Schema.Json))), { discard: true })
    })
  const abort = Effect.fnUntraced(function* (message: string) {
    if (openRun === undefined) return
    const report = abortedReport(openRun, message, results)
    const at = DateTime.formatIso(yield* DateTime.now)
    yield* listen({ at, event: { type: "run.finished", exitCode: exitCodes.failed, report } })
  })
  return { listen, abort }
})

export interface LineSinkOptions {
  readonly isVerbose?: boolean
  /** True to print only lines, without a redrawn region. */
  readonly isPlain?: boolean
  /** What Ctrl-C does, in words. */
  readonly stop?: string
  /** The part of an answer that is not printed yet. */
  readonly unfinished?: () => string
  /** The user's queued messages, drawn at the bottom. */
  readonly below?: () => ReadonlyArray<string>
  /** Runs before the event is shown. */
  readonly before?: (event: RunEvent) => void
}

/** Holds back lines while a question is open, and returns them afterwards in order. */
const makeLineOrder = () => {
  const waiting: Array<string> = []
  return (event: RunEvent, isAsked: boolean, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (event.type === "approval.requested") return lines
    if (isAsked) {
      waiting.push(...lines)
      return []
    }
    const late = waiting.splice(0)
    return event.type === "approval.answered" ? [...lines, ...late] : [...late, ...lines]
  }
}

/** A progress report is dropped if another line came less than this many milliseconds before. */
const soon = 5000

/** Draws the current work, as long as there is any. */
const makeDrawing = (
  { emitPaint, screen }: Output["Service"],
  { below = () => [], stop = "stops", unfinished = () => "" }: LineSinkOptions,
  current: () => LiveState
) => {
  const draw = (size: { readonly columns: number; readonly rows: number }, now: number): ReadonlyArray<string> => {
    const state = current()
    const text = redactText(unfinished() || state.answer)
    const options = { size, now, marks: marksAt(now, screen.isUnicode), stop, unfinished: text }
    const waiting = below().map((line) => cutText(printable(redactText(line)), size.columns - 1))
    return [...liveView(state, options).map((line) => paintLine(line, emitPaint)), ...waiting]
  }
  return (): void => (isLively(current()) ? screen.show(draw) : screen.hide())
}

/** Makes a sink that prints the `line` of each event. */
export const lineSink = Effect.fnUntraced(function* (
  line: (event: RunEvent, paint: Paint, options: ProgressOptions) => string | undefined,
  options: LineSinkOptions = {}
) {
  const output = yield* Output
  const { before, isPlain = false, isVerbose = false } = options
  const isDrawn = output.screen.canDraw && !isPlain
  const order = makeLineOrder()
  const reported = new Map()
  let shownAt = -Infinity
  let state = emptyLive
  const update = isDrawn ? makeDrawing(output, options, () => state) : () => undefined

  const lineFor = ({ at, event }: RecordedEvent, live: LiveState): string | undefined => {
    if (isTransient(event)) return undefined
    if (isHeartbeat(event) && (isDrawn || live.questions.open.size > 0 || Date.parse(at) - shownAt < soon))
      return undefined
    const text = line(event, output.emitPaint, { isVerbose, isDrawn, live, seen: reported })
    if (text !== undefined) shownAt = Date.parse(at)
    return text
  }

  const sink: EventSink = {
    listen: (given) =>
      Effect.suspend(() => {
        const recorded = { ...given, event: redactEvent(given.event) }
        before?.(recorded.event)
        const earlier = state
        state = liveStateAfter(state, recorded)
        /*
         * The state forgets a call's arguments when the call ends, so the line about the call's end needs the earlier
         * state.
         */
        const text = lineFor(recorded, recorded.event.type === "tool.finished" ? earlier : state)
        const isAsked = state.questions.open.size > 0
        const lines = order(recorded.event, isAsked, text === undefined ? [] : [redactText(text)])
        update()
        return Effect.forEach(lines, output.emit, { discard: true })
      }),
    abort: () => Effect.sync(output.screen.hide),
    userMs: () => state.questions.userMs,
    project: () => state.run.project
  }
  return sink
})

/** Prints only errors, for `--quiet`. */
export const quietSink = lineSink(
  (event, paint) => (event.type === "message" && event.level === "error" ? progressLine(event, paint) : undefined),
  { isPlain: true }
)

/** Prints the progress of a run. With --verbose, also prints the issues that the program sends to models. */
export const progressSink = (isVerbose: boolean, options: LineSinkOptions = {}) =>
  lineSink(progressLine, { ...options, isVerbose })
