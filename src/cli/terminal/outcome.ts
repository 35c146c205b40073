/**
 * What `run` and `resume` share: the flags for limits and output, and how the command ends.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { exitCodeOf, type RunReport, type RunStatus } from "../../domain/runs/RunReport.ts"
import { type EventSink, jsonSink } from "./EventSink.ts"
import { quietFailure } from "./Failure.ts"
import { approvalFlags } from "./approvalFlags.ts"
import { outcomeLines } from "./Ending.ts"
import { progressSink, quietSink } from "./LineSink.ts"
import { markdownText } from "./MarkdownText.ts"
import { Output } from "./Output.ts"
import type { Signals } from "./Signals.ts"
import { modelFlags } from "../run/modelFlags.ts"
import { countFlag, runFlags } from "../run/runFlags.ts"

/** Everything about the answers of the model that were not right. */
export const verboseFlag = Flag.Boolean("verbose").pipe(
  Flag.withDescription(
    "Also show everything that was fixed in an answer of the model, and what the model is told to fix"
  ),
  Flag.withDefault(false)
)

/** Lines only. */
export const plainFlag = Flag.Boolean("plain").pipe(
  Flag.withDescription("Print lines only on a terminal too: draw nothing again, and leave answers as they are written"),
  Flag.withDefault(false)
)

/** The answer only. */
export const quietFlag = Flag.Boolean("quiet").pipe(
  Flag.withAlias("q"),
  Flag.withDescription("Print only the answer, and errors on stderr"),
  Flag.withDefault(false)
)

export const outcomeFlags = {
  maxRounds: countFlag("max-rounds", 1000).pipe(
    Flag.withDescription("Maximum number of rounds (refine, run, iterate): --max-rounds 3"),
    Flag.optional
  ),
  ...approvalFlags,
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print events as JSON Lines on stdout instead of the answer"),
    Flag.withDefault(false)
  ),
  plain: plainFlag,
  verbose: verboseFlag
}

/** The flags of commands that continue a saved run. */
export const savedRunFlags = {
  run: Argument.String("RUN").pipe(
    Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs"')
  ),
  project: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("Where the project is now, if it was moved: --project ../api"),
    Flag.optional
  ),
  model: runFlags.model,
  allow: runFlags.allow,
  deny: runFlags.deny,
  parallel: runFlags.parallel,
  plugin: runFlags.plugin,
  ...modelFlags,
  ...outcomeFlags,
  quiet: quietFlag
}

/** The limits that flags set. */
export const limitFlags = (given: { readonly maxRounds: Option.Option<number> }): Pick<Configuration, "limits"> => ({
  limits: Option.match(given.maxRounds, { onNone: () => ({}), onSome: (rounds) => ({ rounds }) })
})

/** Where the project is now, if the flag says so. */
export const movedTo = ({ project }: { readonly project: Option.Option<string> }): { readonly project?: string } =>
  Option.match(project, { onNone: () => ({}), onSome: (folder) => ({ project: folder }) })

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

/** The answer on stdout, the outcome on stderr, how to resume the run, and the exit code. */
export const endWithReport = Effect.fnUntraced(function* (
  report: RunReport,
  { isClusterRun = false, json, plain = false, quiet = false, sink, verbose = false }: ReportStyle
) {
  const { isWatched, screen, tell, tellPaint } = yield* Output
  if (!json) {
    yield* printAnswer(report.answer, plain || quiet)
    if (!quiet || report.status !== "done") {
      const isUnicode = screen.isUnicode && screen.columns() !== undefined
      const personMs = sink?.personMs?.() ?? 0
      const project = sink?.project?.() ?? ""
      if (isWatched && report.answer.trim() !== "") yield* tell("")
      yield* tell(outcomeLines(report, tellPaint, { isUnicode, isVerbose: verbose, personMs, project }))
    }
    if (canResume(report.status) && !isClusterRun) yield* tell(`Resume it: task-conductor resume ${report.runId}`)
  }
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})
