/**
 * The runs in the database, for the flag `--cluster` of the command line.
 */
import * as Effect from "effect/Effect"
import type { SharedClient, SharedOrder, SharedRuns } from "../../kit/program.ts"
import { printable, secondsText } from "../../kit/text.ts"
import { counted } from "../../plugin-kit.ts"
import {
  attachRun,
  forkOnCluster,
  layerClient,
  layerClusterRuns,
  prepareRun,
  resumeOnCluster,
  submitRun
} from "./clusterClient.ts"
import { diagnoseCluster } from "./clusterDiagnosis.ts"
import { withNotices } from "./DatabaseErrors.ts"
import { ClusterWorkers, type WorkerState } from "./ClusterWorkers.ts"

const workerLine = ({ isAlive, name, runs, seenSecondsAgo, slots, tasks, version }: WorkerState): string =>
  `worker ${printable(name)}  ${printable(version)}  ${counted(runs, "run")}, ${counted(tasks, "task")}, ${counted(slots, "model call")} at once  ${isAlive ? "seen" : "lost, seen"} ${secondsText(seenSecondsAgo)} ago`

const begin = Effect.fnUntraced(function* (order: SharedOrder, approvals: Pick<SharedClient, "approveSteps" | "yes">) {
  switch (order.type) {
    case "attach":
      return order.runId
    case "fork":
      return yield* forkOnCluster(order.saved, approvals)
    case "resume":
      return yield* resumeOnCluster(order.saved, approvals)
    case "start":
      yield* submitRun(yield* prepareRun(order.run, { ...approvals, priority: order.priority }))
      return order.run.order.runId
  }
})

export const sharedRuns: SharedRuns = {
  store: layerClusterRuns(),
  workers: ClusterWorkers.use(({ list }) => list).pipe(
    Effect.map((all) => all.map(workerLine)),
    Effect.provide(layerClusterRuns())
  ),
  diagnose: diagnoseCluster,
  follow: (order, { approver, begun, listen, tell, ...approvals }) =>
    Effect.gen(function* () {
      const runId = yield* begin(order, approvals)
      begun(runId)
      return yield* attachRun(runId, listen, tell)
    }).pipe(Effect.provide(layerClient(approver)), withNotices(tell))
}
