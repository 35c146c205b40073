/**
 * What the commands about cluster runs do once flags are read. Loaded when it is needed: nothing else needs the database.
 */
import * as Effect from "effect/Effect"
import { attachRun, cancelRun, layerClient, layerClusterRuns, prepareRun, submitRun } from "../../app/clusterClient.ts"
import { runWorker } from "../../app/worker.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { printable } from "../../domain/text/Printable.ts"
import { layerTerminal } from "../../services/approvals/TerminalApprover.ts"
import { CurrentNotices, makeNotices } from "../../services/cluster/ClusterDatabase.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import type { RunRequest } from "../run/runHandler.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { Output } from "../terminal/Output.ts"
import type { CommandPorts } from "../terminal/ports.ts"

/** Says what happens to a run that nobody follows any more. */
const tellDetached = (runId: string) =>
  Output.use(({ tell }) =>
    tell(
      `The run continues on its workers. Follow it: task-conductor attach ${runId}. Cancel it: task-conductor cancel ${runId}`
    )
  )

/** Follows a run to its report. */
const followToEnd = (run: string, sink: EventSink) =>
  Output.use(({ tell }) =>
    attachRun(run, sink.listen, tell).pipe(
      /* A run that waits has not ended: its stream of events is still open. */
      Effect.tapError(({ _tag, message }) => (_tag === "RunWaits" ? Effect.void : sink.abort(message)))
    )
  )

/** Says when the database is away, and when it is back. */
const withNotices = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Output.use(({ tell }) => Effect.provideService(effect, CurrentNotices, makeNotices(tell)))

/** The terminal answers what runs ask. */
const client = layerClient({ approver: layerTerminal() })

/** Starts a run on the workers and follows it to its report. */
export const startClusterRun = Effect.fn("startClusterRun")(function* (
  { flags, order, project }: RunRequest,
  { approveSteps, sink, yes = false }: CommandPorts
) {
  const runId = yield* makeRunId
  const run = yield* prepareRun({ project, given: flags, order: { runId, ...order }, approveSteps, yes })
  return yield* submitRun(run).pipe(
    Effect.andThen(followToEnd(runId, sink).pipe(Effect.onInterrupt(() => tellDetached(runId)))),
    Effect.provide(client),
    withNotices
  )
})

/** Follows an existing run to its report. */
export const attachClusterRun = (run: string, sink: EventSink) =>
  followToEnd(run, sink).pipe(
    Effect.onInterrupt(() => tellDetached(run)),
    Effect.provide(client),
    withNotices
  )

/** Ends a run; the workers stop within seconds. */
export const cancelClusterRun = (run: string) => withNotices(Effect.provide(cancelRun(run), layerClusterRuns()))

/** Works on runs until it is stopped. */
export const startWorker = Effect.fn("startWorker")(function* (flags: Configuration) {
  const { tell } = yield* Output
  return yield* runWorker({
    flags,
    tell: (what) => tell(printable(what)),
    ready: tell("The worker is ready for runs. Ctrl-C stops it; other workers then continue its work.")
  })
})
