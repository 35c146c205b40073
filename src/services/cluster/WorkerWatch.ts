/**
 * Tells the person at a client that no worker is there for a run, and that one came, as long as the client follows the run.
 */
import * as Effect from "effect/Effect"
import { printable } from "../../domain/text/Printable.ts"
import { ClusterWorkers, type WorkerState } from "./ClusterWorkers.ts"

const interval = "1 second"

const start = "Start one on any machine: task-conductor worker"

/** Why nobody works on a run of this version. */
const missingWorker = (version: string, workers: ReadonlyArray<WorkerState>): string => {
  if (workers.length === 0) return `No worker is at work; the run waits for one. ${start}`
  const others = [...new Set(workers.map((worker) => worker.version))].join(", ")
  return `No worker has version ${printable(version)} of task-conductor, with which the run was started; there are ${printable(others)}. Start a worker of this version, or start the run with the version of the workers.`
}

/** Watches the workers of this version until it is interrupted. */
export const watchWorkers = Effect.fn("watchWorkers")(function* (
  version: string,
  tell: (what: string) => Effect.Effect<void>
) {
  const { alive } = yield* ClusterWorkers
  let isMissing = false
  for (;;) {
    const workers = yield* alive
    const worker = workers.find((one) => one.version === version)
    if (worker === undefined && !isMissing) yield* tell(missingWorker(version, workers))
    if (worker !== undefined && isMissing) yield* tell(`The worker ${printable(worker.name)} is there now.`)
    isMissing = worker === undefined
    yield* Effect.sleep(interval)
  }
})
