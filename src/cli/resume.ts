/**
 * `task-conductor resume RUN`: goes on with a run that ended early. What had finished is not done again.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { exitCodeOf } from "../domain/RunReport.ts"
import { jsonSink, progressSink } from "./EventSink.ts"
import { quietFailure } from "./Failure.ts"
import { loadWork } from "./loadWork.ts"
import { keptRunFlags, limitFlags, tellReport } from "./outcome.ts"
import { flagConfiguration } from "./runFlags.ts"

/** The command. */
export const resume = Command.make(
  "resume",
  keptRunFlags,
  Effect.fn("resume")(function* (given) {
    const flags = { ...(yield* flagConfiguration(given)), limits: limitFlags(given) }
    const { resumeRun } = yield* loadWork
    const report = yield* resumeRun({
      run: given.run,
      flags,
      sink: yield* given.json ? jsonSink : progressSink,
      approveSteps: given.yesThisRun
    })
    if (!given.json) yield* tellReport(report)
    if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
  })
).pipe(
  Command.withDescription("Go on with a run that ended early: finished work is not done again"),
  Command.withExamples([
    { command: "task-conductor resume last", description: "Go on with the newest run" },
    {
      command: 'task-conductor resume 20261120-183000-k3x9 --allow "write_file:docs/*"',
      description: "Go on with more permissions; those of the first start are not kept"
    }
  ])
)
