/**
 * How a run is shown while it works, how its command ends, and how it is resumed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { factLines } from "../../domain/checks/Facts.ts"
import { exitCodeOf, type RunReport, type RunStatus } from "../../domain/runs/RunReport.ts"
import { type EventSink, jsonSink, progressSink, quietSink } from "./EventSink.ts"
import { quietFailure } from "./Failure.ts"
import { outcomeLines } from "./Ending.ts"
import { markdownText } from "./MarkdownText.ts"
import { Output } from "./Output.ts"
import type { CommandOptions } from "./runContext.ts"
import type { Signals } from "./Signals.ts"

/** True unless the run is done or has no plan to continue with. */
const canResume = (status: RunStatus): boolean => status !== "done" && status !== "no_valid_plan"

/** How a run is reported: its events as JSON Lines or as progress, and whether it can be resumed here. */
interface ReportStyle {
  readonly json: boolean
  readonly verbose?: boolean
  readonly plain?: boolean
  /** Where the events went; it knows how long persons took to answer. */
  readonly sink?: EventSink
  /** Only the answer and errors are printed. */
  readonly quiet?: boolean
  /** The run is no saved run of this machine: it is not resumed here. */
  readonly isClusterRun?: boolean
}

/** Where the events of a run go. */
export const eventSink = ({
  isClusterRun = false,
  json,
  plain = false,
  quiet = false,
  verbose = false
}: ReportStyle): Effect.Effect<EventSink, never, Output | Signals> =>
  json
    ? jsonSink
    : quiet
      ? quietSink
      : progressSink(verbose, {
          isPlain: plain,
          stop: isClusterRun ? "leaves it to the workers" : "stops"
        })

/** True for an answer that was bound to a schema: JSON is no markdown. */
const isJson = (text: string): boolean =>
  /^[{[]/.test(text) && Result.isSuccess(Result.try(() => JSON.parse(text) as unknown))

/** Prints an answer: rendered before a person, else as it is. */
export const printAnswer = Effect.fnUntraced(function* (markdown: string, isPlain: boolean) {
  const { answer, isWatched, result, resultColumns: columns, resultPaint: paint, screen } = yield* Output
  if (markdown.trim() === "") return
  const text = markdown.trimEnd()
  if (isPlain || !isWatched || isJson(text)) return yield* answer(text)
  yield* result(markdownText(text, { paint, columns: columns(), isUnicode: screen.isUnicode }))
})

/** Ends the stream of events with an error when the work fails in the middle. */
export const untilReport =
  ({ abort }: EventSink) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapCause(work, (cause) => (Cause.hasInterrupts(cause) ? Effect.void : abort("The run broke off.")))

/** The facts of the host stand above the answer, except of an answer that was bound to a schema. */
const withFacts = ({ answer, facts }: RunReport): string =>
  facts === undefined || isJson(answer) ? answer : `${factLines(facts).join("\n")}\n\n${answer}`

/** The answer on stdout, the outcome on stderr, how to resume the run, and the exit code. */
export const endWithReport = Effect.fnUntraced(function* (
  report: RunReport,
  { isClusterRun = false, json, plain = false, quiet = false, sink, verbose = false }: ReportStyle
) {
  const { emit, emitPaint, isWatched, screen } = yield* Output
  if (!json) {
    yield* printAnswer(withFacts(report), plain || quiet)
    if (!quiet || report.status !== "done") {
      const isUnicode = screen.isUnicode && screen.columns() !== undefined
      const personMs = sink?.personMs?.() ?? 0
      const project = sink?.project?.() ?? ""
      if (isWatched && report.answer.trim() !== "") yield* emit("")
      yield* emit(outcomeLines(report, emitPaint, { isUnicode, isVerbose: verbose, personMs, project }))
    }
    if (canResume(report.status) && !isClusterRun) yield* emit(resumeLine(report.runId))
  }
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})

/** The line that says how to resume a run. */
const resumeLine = (runId: string): string => `Resume it: task-conductor resume ${runId}`

/** Options that notice when a run begins, and what says how to resume it when it is stopped after that. */
export const makeResumable = (options: CommandOptions) => {
  let begun: string | undefined
  const { abort, listen } = options.sink
  const noticing: CommandOptions = {
    ...options,
    sink: {
      abort,
      listen: (recorded) => {
        const { event } = recorded
        if (event.type === "run.started") begun = event.runId
        return listen(recorded)
      }
    }
  }
  const reportResume = Effect.suspend(() =>
    begun === undefined || options.isJson === true
      ? Effect.void
      : Output.use((output) => output.emit(resumeLine(begun ?? "")))
  )
  return {
    options: noticing,
    reportWhenStopped: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.onInterrupt(work, () => reportResume)
  }
}
