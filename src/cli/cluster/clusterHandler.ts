/**
 * What the words about shared runs do once flags are read. Loaded when it is needed: nothing else needs the database.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  attachRun,
  cancelRun,
  layerClient,
  layerClusterRuns,
  layerWorkerEnvironment,
  submitRun
} from "../../app/clusterClient.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { printable } from "../../domain/text/Printable.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { layerTerminalArbiter } from "../../services/approvals/Arbiter.ts"
import { Approver } from "../../services/approvals/Approver.ts"
import { ClusterRuns } from "../../services/cluster/ClusterRuns.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { readSetup } from "../../app/setup.ts"
import { holdWorker, layerWorker } from "../../app/worker.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { Output } from "../terminal/Output.ts"

/** A run for the workers, as the flags ask for it. */
export interface ClusterRunRequest {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<RunOrder, "runId">
  readonly sink: EventSink
  readonly approveSteps: boolean
}

/** Says what becomes of a run that nobody follows any more. */
const tellDetached = (runId: string) =>
  Output.use(({ tell }) =>
    tell(
      `The run goes on with its workers. Follow it: task-conductor attach ${runId}. End it: task-conductor cancel ${runId}`
    )
  )

const tellWorkers = Effect.gen(function* () {
  const { workers } = yield* ClusterRuns
  const { tell } = yield* Output
  if ((yield* workers) > 0) return
  yield* tell("No worker is there yet, the run waits for one. Start one on any machine: task-conductor worker")
})

/** Follows a run to its report. */
const followToEnd = (run: string, sink: EventSink) =>
  attachRun(run, sink.listen).pipe(
    /* A run that waits goes on: its stream of events has not ended. */
    Effect.tapError(({ _tag, message }) => (_tag === "RunWaits" ? Effect.void : sink.abort(message))),
    Effect.provide([Approver.layerTerminal, layerTerminalArbiter])
  )

/** Begins a run on the workers and follows it to its report. */
export const startClusterRun = Effect.fn("startClusterRun")(function* ({
  approveSteps,
  flags,
  order,
  project,
  sink
}: ClusterRunRequest) {
  const setup = yield* readSetup(project, flags)
  const runId = yield* makeRunId
  return yield* Effect.gen(function* () {
    yield* submitRun(setup, { runId, ...order }, { allow: flags.allow ?? [], approveSteps })
    yield* tellWorkers
    return yield* followToEnd(runId, sink).pipe(Effect.onInterrupt(() => tellDetached(runId)))
  }).pipe(Effect.provide(layerClient))
})

/** Follows a run that somebody began, to its report. */
export const attachClusterRun = (run: string, sink: EventSink) =>
  followToEnd(run, sink).pipe(
    Effect.onInterrupt(() => tellDetached(run)),
    Effect.provide(layerClient)
  )

/** Ends a run; the workers stop within seconds. */
export const cancelClusterRun = (run: string) => Effect.provide(cancelRun(run), layerClusterRuns)

/** Works on runs until it is ended. */
export const startWorker = Effect.fn("startWorker")(function* (flags: Configuration) {
  const { tell } = yield* Output
  const { settings } = yield* readSetup(".", flags)
  const tellWork = (what: string) => tell(printable(what))
  const worker = layerWorker({ flags, parallel: settings.slots, tell: tellWork }).pipe(
    Layer.provide(layerWorkerEnvironment)
  )
  const ready = tell("The worker is ready for runs. Ctrl-C ends it; others then go on with what it has.")
  return yield* holdWorker(worker, ready)
})
