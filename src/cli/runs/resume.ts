/**
 * `task-conductor resume RUN`: resumes a run that ended early. Finished work is not repeated.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { approvedBeforehand, limitConfiguration, movedTo, savedRunFlags, flagConfiguration } from "../run/runFlags.ts"
import { endWithReport, eventSink } from "../terminal/outcome.ts"

/** The command. */
export const resume = Command.make(
  "resume",
  savedRunFlags,
  Effect.fn("resume")(function* (given) {
    const flags = { ...flagConfiguration(given), ...limitConfiguration(given) }
    const ports = {
      sink: yield* eventSink(given),
      isJson: given.json,
      isQuiet: given.quiet,
      ...approvedBeforehand(given)
    }
    const { resumePrompt } = yield* Effect.promise(() => import("./resumeHandler.ts"))
    yield* endWithReport(yield* resumePrompt({ run: given.run, flags, ...movedTo(given) }, ports), {
      ...given,
      ...ports
    })
  })
).pipe(
  Command.withDescription("Resume a run that ended early. Finished work is not repeated"),
  Command.withExamples([
    { command: "task-conductor resume last", description: "Resume the newest run" },
    {
      command: 'task-conductor resume 20261120-183000-k3x9 --allow "write_file:docs/*"',
      description: "Resume with permissions; those of the first start are not saved"
    }
  ])
)
