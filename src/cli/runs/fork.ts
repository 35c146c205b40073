/**
 * `task-conductor fork RUN --from TASK`: starts a new run that reuses what another had finished before a task.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { approvedBeforehand, limitConfiguration, movedTo, savedRunFlags, flagConfiguration } from "../run/runFlags.ts"
import { endWithReport, eventSink } from "../terminal/outcome.ts"

/** The command. */
export const fork = Command.make(
  "fork",
  {
    ...savedRunFlags,
    from: Flag.String("from").pipe(
      Flag.withMetavar("TASK"),
      Flag.withDescription('The first task to execute again, together with all later ones: --from "Write 1"')
    )
  },
  Effect.fn("fork")(function* (given) {
    const flags = { ...flagConfiguration(given), ...limitConfiguration(given) }
    const ports = {
      sink: yield* eventSink(given),
      isJson: given.json,
      isQuiet: given.quiet,
      ...approvedBeforehand(given)
    }
    const { forkPrompt } = yield* Effect.promise(() => import("./resumeHandler.ts"))
    yield* endWithReport(yield* forkPrompt({ run: given.run, from: given.from, flags, ...movedTo(given) }, ports), {
      ...given,
      ...ports
    })
  })
).pipe(
  Command.withDescription(
    "Start a new run from a task of another run, possibly with another model. Earlier results are reused"
  ),
  Command.withExamples([
    {
      command: 'task-conductor fork last --from "Summary 1" --model qwen3:14b',
      description: "Reuse the research, and write the summary again with a larger model"
    }
  ])
)
