/** Shows a run while it works, ends the command, and says how to resume the run. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { outcomeText } from "../../domain/runs/OutcomeText.ts"
import { exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { type EventSink, jsonSink, progressSink, quietSink } from "./EventSink.ts"
import { userLine } from "./EventLines.ts"
import { quietFailure, usageFailure } from "./Failure.ts"
import { outcomeLines } from "./Ending.ts"
import { markdownText } from "./MarkdownText.ts"
import { type KeyTaker, takingKeys } from "./Keys.ts"
import { Output, redactText } from "./Output.ts"
import type { RunContext } from "../../app/RunContext.ts"
import { type ApprovalFlags, approvedBeforehand, runContextOf } from "./runContext.ts"

/** True if the user can resume the run: the plan was valid, and work is left. */
const canResume = ({ nothingLeft = false, status }: RunReport): boolean =>
  !nothingLeft && status !== "done" && status !== "no_valid_plan"

/** The flags that decide how a run is shown. */
interface RunStyle {
  /** True to print events as JSON Lines. */
  readonly json: boolean
  readonly verbose?: boolean
  readonly plain?: boolean
  /** True to print only the answer and errors. */
  readonly quiet?: boolean
  /** True if the run is not saved on this machine, and so cannot be resumed here. */
  readonly isClusterRun?: boolean
}

const eventSink = ({ isClusterRun = false, json, plain = false, quiet = false, verbose = false }: RunStyle) => {
  const stop = isClusterRun ? "leaves it to the workers" : "stops"
  return json ? jsonSink : quiet ? quietSink : progressSink(verbose, { isPlain: plain, stop })
}

/** True for an answer in JSON, which must not be rendered as markdown. */
const isJson = (text: string): boolean =>
  /^[{[]/.test(text) && Result.isSuccess(Result.try(() => JSON.parse(text) as unknown))

/** Prints an answer, rendered on a terminal. */
export const printAnswer = Effect.fnUntraced(function* (markdown: string, isPlain: boolean) {
  const { answer, isWatched, result, resultColumns: columns, resultPaint: paint, screen } = yield* Output
  if (markdown.trim() === "") return
  const text = redactText(markdown.trimEnd())
  if (isPlain || !isWatched || isJson(text)) return yield* answer(text)
  yield* result(markdownText(text, { paint, columns: columns(), isUnicode: screen.isUnicode }))
})

/**
 * Adds text above the model's answer: the checked facts and, for an unfinished run, the status. An answer in JSON stays
 * unchanged. An empty answer without facts stays empty, because the run's last lines report the status.
 */
const withFacts = (report: RunReport, project: string): string => {
  const { answer, facts } = report
  if (isJson(answer) || (answer.trim() === "" && facts === undefined)) return answer
  return [userLine(outcomeText(report), project), answer].filter((part) => part !== "").join("\n\n")
}

const resumeLine = (runId: string): string => `Resume it: task-conductor resume ${runId}`

/**
 * Shows a run while it works, then prints the answer to stdout and the outcome to stderr. Fails if the run is not done.
 */
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
      const userMs = sink.userMs?.() ?? 0
      if (isWatched && report.answer.trim() !== "") yield* emit("")
      yield* emit(redactText(outcomeLines(report, emitPaint, { isUnicode, isVerbose: verbose, userMs, project })))
      const hasChanges = (report.facts?.files.length ?? 0) > 0 && !isClusterRun
      if (hasChanges) yield* emit(`Undo it: task-conductor undo ${report.runId}`)
    }
    if (canResume(report)) yield* emit(resumeLine(`${report.runId}${isClusterRun ? " --cluster" : ""}`))
  }
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})

/** Carries out a run. If the user stops it after its start, prints how to resume it, except in JSON output. */
export const carryOut = <E, R>(
  { listen, ...context }: RunContext,
  isJson: boolean,
  work: (context: RunContext) => Effect.Effect<RunReport, E, R>
) => {
  let runId = ""
  const noticing: RunContext["listen"] = (recorded) => {
    if (recorded.event.type === "run.started") runId = recorded.event.runId
    return listen(recorded)
  }
  const reportResume = Effect.suspend(() =>
    runId === "" || isJson ? Effect.void : Output.use(({ emit }) => emit(resumeLine(runId)))
  )
  return Effect.onInterrupt(work({ ...context, listen: noticing }), () => reportResume)
}

/** Carries out a run on this machine and shows it. If the work crashes, the stream of events ends with an error. */
export const showOwnRun = <E, R>(
  flags: RunStyle & ApprovalFlags,
  work: (context: RunContext) => Effect.Effect<RunReport, E, R>
) =>
  flags.quiet === true && flags.verbose === true
    ? usageFailure("--quiet and --verbose exclude each other. Leave one out.")
    : showRun(flags, (sink) =>
        (flags.json || flags.plain === true || flags.quiet === true
          ? Effect.succeed<KeyTaker>({ sink, handOver: Effect.void })
          : takingKeys(sink, { begin: "run.started" })
        ).pipe(
          Effect.flatMap(({ sink }) => runContextOf({ sink, isQuiet: flags.quiet, ...approvedBeforehand(flags) })),
          Effect.flatMap((context) => carryOut(context, flags.json, work)),
          Effect.scoped,
          Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : sink.abort("The run broke off.")))
        )
      )
