/**
 * What `run` and `resume` share: the flags about how a run goes and is told, and the end of it.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { exitCodeOf, type RunReport, type RunStatus } from "../../domain/runs/RunReport.ts"
import { type EventSink, jsonSink, progressSink } from "./EventSink.ts"
import { quietFailure } from "./Failure.ts"
import { Output } from "./Output.ts"
import { outcomeLines } from "./Progress.ts"
import { countFlag, runFlags } from "../run/runFlags.ts"

export const outcomeFlags = {
  maxRounds: countFlag("max-rounds", 1000).pipe(
    Flag.withDescription("Maximum number of rounds (refine, run, iterate): --max-rounds 3"),
    Flag.optional
  ),
  yesThisRun: Flag.Boolean("yes-this-run").pipe(
    Flag.withDescription("Approve every step of this run; deny rules still apply"),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print events as JSON Lines on stdout instead of the answer"),
    Flag.withDefault(false)
  )
}

/** The flags of words that go on with a run that is kept. */
export const savedRunFlags = {
  run: Argument.String("RUN").pipe(
    Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs"')
  ),
  model: runFlags.model,
  allow: runFlags.allow,
  deny: runFlags.deny,
  parallel: runFlags.parallel,
  plugin: runFlags.plugin,
  ...outcomeFlags
}

/** The limits that flags set. */
export const limitFlags = (given: {
  readonly maxRounds: Option.Option<number>
}): NonNullable<Configuration["limits"]> =>
  Option.match(given.maxRounds, { onNone: () => ({}), onSome: (rounds) => ({ rounds }) })

/** What can go on later: everything but what is done, and what has no plan to go on with. */
const canGoOn = (status: RunStatus): boolean => status !== "done" && status !== "no_valid_plan"

/** The answer on stdout, the outcome on stderr, and how to go on with a run that is kept on this machine. */
const tellReport = Effect.fnUntraced(function* (report: RunReport, isShared: boolean) {
  const { answer, tell, tellPaint } = yield* Output
  if (report.answer.trim() !== "") yield* answer(report.answer.trimEnd())
  yield* tell(outcomeLines(report, tellPaint))
  if (canGoOn(report.status) && !isShared) yield* tell(`Go on with it: task-conductor resume ${report.runId}`)
})

/** Carries work out, with its events where the flags want them, and ends with the exit code of its report. */
export const tellWork = Effect.fnUntraced(function* <E, R>(
  {
    isShared = false,
    json,
    yesThisRun = false
  }: { readonly json: boolean; readonly yesThisRun?: boolean; readonly isShared?: boolean },
  work: (doors: { readonly sink: EventSink; readonly approveSteps: boolean }) => Effect.Effect<RunReport, E, R>
) {
  const report = yield* work({ sink: yield* json ? jsonSink : progressSink, approveSteps: yesThisRun })
  if (!json) yield* tellReport(report, isShared)
  if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
})
