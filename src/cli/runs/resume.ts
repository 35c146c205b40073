/**
 * `task-conductor resume RUN`: resumes a run that ended early. Finished work is not repeated.
 * `task-conductor fork RUN --from TASK`: starts a new run that reuses what another had finished before a task.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forkRun, resumeRun, type SavedRun } from "../../app/runs.ts"
import type { RunContext } from "../../app/RunContext.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import type { DoubtAnswer } from "../../services/approvals/Approver.ts"
import { runConfiguration, savedRunFlags } from "../run/runFlags.ts"
import { showOwnRun } from "../terminal/outcome.ts"
import { present, withHelp } from "../terminal/Flags.ts"

type Given = Command.Command.Config.Infer<typeof savedRunFlags>

/** Goes on with a saved run as `start` says, to its report. */
const goOn = (
  given: Given,
  start: (saved: SavedRun, context: RunContext) => ReturnType<typeof forkRun>,
  inDoubt?: DoubtAnswer
) =>
  showOwnRun(given, (context) => {
    /* The project is named when it was moved. */
    const saved = { run: given.run, given: runConfiguration(given), ...present({ project: given.project }) }
    return Effect.provide(start(saved, { ...context, inDoubt }), layerRuns)
  })

/** What is done about a call that was begun before the run broke off, by the value of the flag. */
const doubtAnswers: Readonly<Record<string, DoubtAnswer>> = { retry: "again", done: "done", abort: "stop" }

/** The command `resume`. */
export const resume = Command.make(
  "resume",
  {
    ...savedRunFlags,
    inDoubt: Flag.Literals("in-doubt", ["retry", "done", "abort"]).pipe(
      Flag.withDescription(
        "What to do about calls that were begun before the run broke off and may have happened, instead of asking: make them again, take them as done, or stop: --in-doubt done"
      ),
      Flag.optional
    )
  },
  ({ inDoubt, ...given }) => goOn(given, resumeRun, doubtAnswers[Option.getOrElse(inDoubt, () => "")])
).pipe(
  withHelp("Resume a run that ended early. Finished work is not repeated", {
    "task-conductor resume last": "Resume the newest run",
    'task-conductor resume 20261120-183000-k3x9 --allow "write_file:docs/*"':
      "Resume with permissions; those of the first start are not saved"
  })
)

/** The command `fork`. */
export const fork = Command.make(
  "fork",
  {
    ...savedRunFlags,
    from: Flag.String("from").pipe(
      Flag.withMetavar("TASK"),
      Flag.withDescription('The first task to execute again, together with all later ones: --from "Write 1"')
    )
  },
  ({ from, ...given }) => goOn(given, (saved, context) => forkRun({ ...saved, from }, context))
).pipe(
  withHelp("Start a new run from a task of another run, possibly with another model. Earlier results are reused", {
    'task-conductor fork last --from "Summary 1" --model qwen3:14b':
      "Reuse the research, and write the summary again with a larger model"
  })
)
