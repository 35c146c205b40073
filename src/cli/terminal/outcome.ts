/**
 * How a run is shown while it works, how its command ends, and how it is resumed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { outcomeText } from "../../domain/runs/OutcomeText.ts"
import { exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { type EventSink, jsonSink, progressSink, quietSink } from "./EventSink.ts"
import { personLine } from "./EventLines.ts"
import { quietFailure, usageFailure } from "./Failure.ts"
import { outcomeLines } from "./Ending.ts"
import { markdownText } from "./MarkdownText.ts"
import { type KeyTaker, takingKeys } from "./Keys.ts"
import { Output, redactText } from "./Output.ts"
import type { RunContext } from "../../app/RunContext.ts"
import { type ApprovalFlags, approvedBeforehand, runContextOf } from "./runContext.ts"

/** True unless nothing is left to do, or there is no plan to continue with. */
const canResume = ({ nothingLeft = false, status }: RunReport): boolean =>
  !nothingLeft && status !== "done" && status !== "no_valid_plan"

/** How a run is shown, as its flags say. */
interface RunStyle {
  /** Its events are printed as JSON Lines. */
  readonly json: boolean
  readonly verbose?: boolean
  readonly plain?: boolean
  /** Only the answer and errors are printed. */
  readonly quiet?: boolean
  /** The run is no saved run of this machine: it is not resumed here. */
  readonly isClusterRun?: boolean
}

const eventSink = ({ isClusterRun = false, json, plain = false, quiet = false, verbose = false }: RunStyle) => {
  const stop = isClusterRun ? "leaves it to the workers" : "stops"
  return json ? jsonSink : quiet ? quietSink : progressSink(verbose, { isPlain: plain, stop })
}

/** True for an answer that was bound to a schema: JSON is no markdown. */
const isJson = (text: string): boolean =>
  /^[{[]/.test(text) && Result.isSuccess(Result.try(() => JSON.parse(text) as unknown))

/** Prints an answer: rendered before a person, else as it is. */
export const printAnswer = Effect.fnUntraced(function* (markdown: string, isPlain: boolean) {
  const { answer, isWatched, result, resultColumns: columns, resultPaint: paint, screen } = yield* Output
  if (markdown.trim() === "") return
  const text = redactText(markdown.trimEnd())
  if (isPlain || !isWatched || isJson(text)) return yield* answer(text)
  yield* result(markdownText(text, { paint, columns: columns(), isUnicode: screen.isUnicode }))
})

/**
 * How a run ended that is not done, and the facts of the host, stand above the answer of the model, except of an answer that was
 * bound to a schema. Without an answer and without a fact, the last lines say everything.
 */
const withFacts = (report: RunReport, project: string): string => {
  const { answer, facts } = report
  if (isJson(answer) || (answer.trim() === "" && facts === undefined)) return answer
  return [personLine(outcomeText(report), project), answer].filter((part) => part !== "").join("\n\n")
}

/** The line that says how to resume a run. */
const resumeLine = (runId: string): string => `Resume it: task-conductor resume ${runId}`

/** Shows a run while it works, then its answer on stdout, its outcome on stderr and how to resume it; fails unless it is done. */
export const showRun = Effect.fnUntraced(function* <E, R>(
  style: RunStyle,
  work: (sink: EventSink) => Effect.Effect<RunReport, E, R>
) {
  const { isClusterRun = false, json, plain = false, quiet = false, verbose = false } = style
  const { emit, emitPaint, isWatched, screen } = yield* Output
  const sink = yield* eventSink(style)
  const report = yield* work(sink)
  if (!json) {
    const project = sink.project?.() ?? ""
    yield* printAnswer(withFacts(report, project), plain || quiet)
    if (!quiet || report.status !== "done") {
      const isUnicode = screen.isUnicode && screen.columns() !== undefined
      const personMs = sink.personMs?.() ?? 0
      if (isWatched && report.answer.trim() !== "") yield* emit("")
      yield* emit(redactText(outcomeLines(report, emitPaint, { isUnicode, isVerbose: verbose, personMs, project })))
      const hasChanges = (report.facts?.files.length ?? 0) > 0 && !isClusterRun
      if (hasChanges) yield* emit(`Undo it: task-conductor undo ${report.runId}`)
    }
    if (canResume(report)) yield* emit(resumeLine(`${report.runId}${isClusterRun ? " --cluster" : ""}`))
  }
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})

/** Carries out a run; says how to resume it when it is stopped after it began, unless a program reads its events. */
export const carryOut = <E, R>(
  { listen, ...context }: RunContext,
  isJson: boolean,
  work: (context: RunContext) => Effect.Effect<RunReport, E, R>
) => {
  let begun = ""
  const noticing: RunContext["listen"] = (recorded) => {
    if (recorded.event.type === "run.started") begun = recorded.event.runId
    return listen(recorded)
  }
  const reportResume = Effect.suspend(() =>
    begun === "" || isJson ? Effect.void : Output.use(({ emit }) => emit(resumeLine(begun)))
  )
  return Effect.onInterrupt(work({ ...context, listen: noticing }), () => reportResume)
}

/** Carries out a run of this machine and shows it. A stream of events ends with an error when the work fails in the middle. */
export const showOwnRun = <E, R>(
  given: RunStyle & ApprovalFlags,
  work: (context: RunContext) => Effect.Effect<RunReport, E, R>
) =>
  given.quiet === true && given.verbose === true
    ? usageFailure("--quiet and --verbose exclude each other. Leave one out.")
    : showRun(given, (shown) =>
        (given.json || given.plain === true || given.quiet === true
          ? Effect.succeed<KeyTaker>({ sink: shown, handOver: Effect.void })
          : takingKeys(shown, { begin: "run.started" })
        ).pipe(
          Effect.flatMap(({ sink }) => runContextOf({ sink, isQuiet: given.quiet, ...approvedBeforehand(given) })),
          Effect.flatMap((context) => carryOut(context, given.json, work)),
          Effect.scoped,
          Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : shown.abort("The run broke off.")))
        )
      )
