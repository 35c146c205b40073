/**
 * Implements `task-conductor resume RUN`, which continues a run without repeating finished work. Also implements
 * `task-conductor fork RUN --from TASK`, which starts a new run with the results before this task.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forkRun, resumeRun } from "../../app/runs.ts"
import type { RunContext, SavedRun } from "../../app/RunContext.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { clusterFlag } from "./runs.ts"
import { layerTerminal } from "../approval/TerminalApprover.ts"
import { Approver } from "../../services/approvals/Approver.ts"
import { showSharedRun } from "../run/sharedRuns.ts"
import type { UncertainAnswer } from "../../domain/permissions/Answer.ts"
import { runConfiguration, savedRunFlags } from "../run/runFlags.ts"
import { showOwnRun } from "../terminal/outcome.ts"
import { present, withHelp } from "../terminal/Flags.ts"

const flags = { ...savedRunFlags, cluster: clusterFlag }
type Given = Command.Command.Config.Infer<typeof flags>

/** `project` is set only for a moved project. */
const savedOf = (flags: Given): SavedRun => ({
  run: flags.run,
  configuration: runConfiguration(flags),
  ...present({ project: flags.project })
})

/** Continues a saved run with `start`, and shows it until its end. */
const goOn = (
  flags: Given,
  start: (saved: SavedRun, context: RunContext) => ReturnType<typeof forkRun>,
  uncertainAnswer?: UncertainAnswer
) => showOwnRun(flags, (context) => Effect.provide(start(savedOf(flags), { ...context, uncertainAnswer }), layerRuns))

/** Maps each value of the flag `--in-doubt` to the answer about an uncertain call. */
const uncertainAnswers: Readonly<Record<string, UncertainAnswer>> = { retry: "again", done: "done", abort: "stop" }

export const resume = Command.make(
  "resume",
  {
    ...flags,
    inDoubt: Flag.Literals("in-doubt", ["retry", "done", "abort"]).pipe(
      Flag.withDescription(
        "What to do about uncertain calls, which began before the run broke off, instead of asking: make them again, count them as done, or stop: --in-doubt done"
      ),
      Flag.optional
    )
  },
  Effect.fn("resume")(function* ({ inDoubt, ...flags }) {
    const answer = uncertainAnswers[Option.getOrElse(inDoubt, () => "")]
    if (!flags.cluster) return yield* goOn(flags, resumeRun, answer)
    const approver = answer === undefined ? undefined : Approver.layerUncertain(answer)(layerTerminal())
    yield* showSharedRun(flags, { type: "resume", saved: savedOf(flags) }, approver)
  })
).pipe(
  withHelp("Resume a run that ended early. Finished work is not repeated", {
    "task-conductor resume last": "Resume the newest run",
    'task-conductor resume 20261120-183000-k3x9 --allow "write_file:docs/*"':
      "Resume with permissions; those of the first start are not saved"
  })
)

export const fork = Command.make(
  "fork",
  {
    ...flags,
    from: Flag.String("from").pipe(
      Flag.withMetavar("TASK"),
      Flag.withDescription('The first task to execute again, together with all later ones: --from "Write 1"')
    )
  },
  Effect.fn("fork")(function* ({ from, ...given }) {
    if (!given.cluster) return yield* goOn(given, (saved, context) => forkRun({ ...saved, from }, context))
    yield* showSharedRun(given, { type: "fork", saved: { ...savedOf(given), from } })
  })
).pipe(
  withHelp("Start a new run from a task of another run, possibly with another model. Earlier results are reused", {
    'task-conductor fork last --from "Summary 1" --model qwen3:14b':
      "Reuse the research, and write the summary again with a larger model"
  })
)
