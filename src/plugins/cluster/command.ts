/**
 * Cluster runs on the command line: `task-conductor attach`, `cancel` and `worker`, and the start of a run for `run --cluster`.
 * Loaded only for these: nothing else needs the database.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import {
  attachRun,
  cancelRun,
  forkOnCluster,
  layerClient,
  layerClusterRuns,
  prepareRun,
  resumeOnCluster,
  submitRun
} from "./clusterClient.ts"
import { runWorker } from "./worker.ts"
import { printable } from "../../domain/text/Printable.ts"
import type { DoubtAnswer } from "../../domain/permissions/Answer.ts"
import { Approver } from "../../services/approvals/Approver.ts"
import { layerTerminal } from "../../cli/approval/TerminalApprover.ts"
import { CurrentNotices, makeNotices } from "./ClusterDatabase.ts"
import type { NewRun, SavedRun } from "../../app/runs.ts"
import { flagConfiguration, modelFlags, approvalFlags, outcomeFlags, runFlags } from "../../cli/run/runFlags.ts"
import type { EventSink } from "../../cli/terminal/EventSink.ts"
import { quietFailure } from "../../cli/terminal/Failure.ts"
import { showRun } from "../../cli/terminal/outcome.ts"
import { Output } from "../../cli/terminal/Output.ts"
import { type ApprovalFlags, approvedBeforehand } from "../../cli/terminal/runContext.ts"
import { withHelp } from "../../cli/terminal/Flags.ts"

/** The terminal answers what runs ask. */
const client = layerClient(layerTerminal())
const yesClient = layerClient(Approver.layerYes(layerTerminal()))

/** Says when the database is away, and when it is back. */
const withNotices = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Output.use(({ emit }) => Effect.provideService(effect, CurrentNotices, makeNotices(emit)))

/** Follows a run to its report; says what happens to one that nobody follows any more. */
const followToEnd = (run: string, sink: EventSink) =>
  Output.use(({ emit }) =>
    attachRun(run, sink.listen, emit).pipe(
      /* A run that waits has not ended: its stream of events is still open. */
      Effect.tapError(({ _tag, message }) => (_tag === "RunWaits" ? Effect.void : sink.abort(message))),
      Effect.onInterrupt(() =>
        emit(
          `The run continues on its workers. Follow it: task-conductor attach ${run}. Cancel it: task-conductor cancel ${run}`
        )
      )
    )
  )

type RunStyle = Parameters<typeof showRun>[0]

/** Shows a run on the workers, which `begin` names, to its end. */
const showOnWorkers = <E, R>(style: RunStyle, begin: Effect.Effect<string, E, R>, layer = client) =>
  showRun({ ...style, isClusterRun: true }, (sink) =>
    begin.pipe(
      Effect.flatMap((runId) => followToEnd(runId, sink)),
      Effect.provide(layer),
      withNotices
    )
  )

type Shown = RunStyle & ApprovalFlags

/** Starts a run on the workers and follows it to its end. */
export const startClusterRun = (given: Shown, run: NewRun) =>
  Effect.flatMap(prepareRun(run, approvedBeforehand(given)), (prepared) =>
    showOnWorkers(given, Effect.as(submitRun(prepared), run.order.runId))
  )

/** Opens a run on the workers again, and follows it to its end. */
export const resumeClusterRun = (given: Shown, saved: SavedRun, inDoubt?: DoubtAnswer) =>
  showOnWorkers(
    given,
    resumeOnCluster(saved, approvedBeforehand(given)),
    inDoubt === undefined ? client : layerClient(Approver.layerInDoubt(inDoubt)(layerTerminal()))
  )

/** Starts a run on the workers from a task of another one, and follows it to its end. */
export const forkClusterRun = (given: Shown, saved: SavedRun & { readonly from: string }) =>
  showOnWorkers(given, forkOnCluster(saved, approvedBeforehand(given)))

/** The run that is meant, among those in the database. */
const clusterRunArgument = Argument.String("RUN").pipe(
  Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs --cluster"')
)

/** The command `attach`: follows a cluster run, and answers its questions. */
export const attach = Command.make(
  "attach",
  {
    run: clusterRunArgument,
    yes: approvalFlags.yes,
    json: outcomeFlags.json,
    plain: outcomeFlags.plain,
    verbose: outcomeFlags.verbose
  },
  Effect.fn("attach")(function* ({ run, yes, ...given }) {
    yield* showOnWorkers(given, Effect.succeed(run), yes ? yesClient : client)
  })
).pipe(
  withHelp(
    "Follow a run on the workers from its beginning, and answer its questions. TASK_CONDUCTOR_DATABASE names the database",
    {
      "task-conductor attach last": "Follow the newest run",
      "task-conductor attach last --yes": "Follow it, and approve what it asks"
    }
  )
)

/** The command `cancel`; the workers stop within seconds. */
export const cancel = Command.make(
  "cancel",
  { run: clusterRunArgument },
  Effect.fn("cancel")(function* ({ run }) {
    const { emit } = yield* Output
    const { isCancelled, runId } = yield* cancelRun(run).pipe(Effect.provide(layerClusterRuns()), withNotices)
    if (isCancelled) return yield* emit(`The workers stop the run ${runId}. Finished work is saved.`)
    yield* emit(`The run ${runId} had already ended.`)
    return yield* quietFailure(1)
  })
).pipe(
  withHelp("Cancel a run on the workers. TASK_CONDUCTOR_DATABASE names the database", {
    "task-conductor cancel 20261120-183000-k3x9": "Cancel a run; its workers stop within seconds"
  })
)

const { allow, deny, model, parallel, plugin } = runFlags

/** The command `worker`: works on runs that clients put into a database, until it is stopped. */
export const worker = Command.make(
  "worker",
  { allow, deny, model, parallel, plugin, ...modelFlags },
  Effect.fn("worker")(function* (given) {
    const { emit } = yield* Output
    return yield* runWorker({
      flags: flagConfiguration(given),
      report: (what) => emit(printable(what)),
      ready: emit("The worker is ready for runs. Ctrl-C stops it; other workers then continue its work.")
    })
  })
).pipe(
  withHelp(
    "Work on runs that were started with --cluster, with the model server, the rules and the tools of this machine. Workers can be started at any time: each takes work that is free. TASK_CONDUCTOR_DATABASE names the database. A worker that cannot go on ends with exit code 1, so let something start it again, such as systemd with Restart=on-failure: docs/several-machines.md has examples",
    {
      "OLLAMA_HOST=gpu-2:11434 task-conductor worker --parallel 4":
        "Work on runs with the model server of another machine"
    }
  )
)
