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
import { clusterFlag } from "./runs.ts"
import type { DoubtAnswer } from "../../domain/permissions/Answer.ts"
import { runConfiguration, savedRunFlags } from "../run/runFlags.ts"
import { showOwnRun } from "../terminal/outcome.ts"
import { present, withHelp } from "../terminal/Flags.ts"

const flags = { ...savedRunFlags, cluster: clusterFlag }
type Given = Command.Command.Config.Infer<typeof flags>

/** Resumes a run on the workers. */
interface ClusterResume<E, R> {
  readonly resumeClusterRun: (given: Given, saved: SavedRun, inDoubt?: DoubtAnswer) => Effect.Effect<void, E, R>
}

/** Starts a run on the workers from a task of another one. */
interface ClusterFork<E, R> {
  readonly forkClusterRun: (given: Given, saved: SavedRun & { readonly from: string }) => Effect.Effect<void, E, R>
}

/** The project is named when it was moved. */
const savedOf = (given: Given): SavedRun => ({
  run: given.run,
  given: runConfiguration(given),
  ...present({ project: given.project })
})

/** Goes on with a saved run as `start` says, to its report. */
const goOn = (
  given: Given,
  start: (saved: SavedRun, context: RunContext) => ReturnType<typeof forkRun>,
  inDoubt?: DoubtAnswer
) => showOwnRun(given, (context) => Effect.provide(start(savedOf(given), { ...context, inDoubt }), layerRuns))

/** What is done about a call that was begun before the run broke off, by the value of the flag. */
const doubtAnswers: Readonly<Record<string, DoubtAnswer>> = { retry: "again", done: "done", abort: "stop" }

/** The command `resume`; `loadCluster` loads what `--cluster` needs. */
export const makeResume = <E, R>(loadCluster: () => Promise<ClusterResume<E, R>>) =>
  Command.make(
    "resume",
    {
      ...flags,
      inDoubt: Flag.Literals("in-doubt", ["retry", "done", "abort"]).pipe(
        Flag.withDescription(
          "What to do about calls that were begun before the run broke off and may have happened, instead of asking: make them again, take them as done, or stop: --in-doubt done"
        ),
        Flag.optional
      )
    },
    Effect.fn("resume")(function* ({ inDoubt, ...given }) {
      const answer = doubtAnswers[Option.getOrElse(inDoubt, () => "")]
      if (!given.cluster) return yield* goOn(given, resumeRun, answer)
      const { resumeClusterRun } = yield* Effect.promise(loadCluster)
      yield* resumeClusterRun(given, savedOf(given), answer)
    })
  ).pipe(
    withHelp("Resume a run that ended early. Finished work is not repeated", {
      "task-conductor resume last": "Resume the newest run",
      'task-conductor resume 20261120-183000-k3x9 --allow "write_file:docs/*"':
        "Resume with permissions; those of the first start are not saved"
    })
  )

/** The command `fork`; `loadCluster` loads what `--cluster` needs. */
export const makeFork = <E, R>(loadCluster: () => Promise<ClusterFork<E, R>>) =>
  Command.make(
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
      const { forkClusterRun } = yield* Effect.promise(loadCluster)
      yield* forkClusterRun(given, { ...savedOf(given), from })
    })
  ).pipe(
    withHelp("Start a new run from a task of another run, possibly with another model. Earlier results are reused", {
      'task-conductor fork last --from "Summary 1" --model qwen3:14b':
        "Reuse the research, and write the summary again with a larger model"
    })
  )
