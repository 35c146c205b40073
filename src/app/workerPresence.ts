/**
 * What a worker says of itself: to the person at its machine when it joins others, and in the database as long as it is there.
 * Part of the composition root.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { CallProgressBoard } from "../services/cluster/CallProgressBoard.ts"
import { workerName } from "../services/cluster/ClusterEngine.ts"
import { ClusterWorkers, reportInterval } from "../services/cluster/ClusterWorkers.ts"
import { version } from "./version.ts"

/** What this worker has in hand. */
export interface Load {
  runs: number
  tasks: number
}

export interface Presence {
  /** How many model calls the server of this machine works on at the same time. */
  readonly parallel: number
  readonly load: Load
  readonly progress: CallProgressBoard
}

/** A part of the work of others moves to a worker that joins. */
export const tellOfOthers = Effect.fnUntraced(function* (tell: (what: string) => Effect.Effect<void>) {
  const workers = yield* ClusterWorkers
  const busy = (yield* workers.alive).filter(({ name, runs, tasks }) => name !== workerName && runs + tasks > 0)
  if (busy.length === 0) return
  yield* tell(
    "Other workers are at work. A part of their work moves here, as soon as the calls in it that are under way have ended."
  )
})

/** Says in the database that this worker is there, until the scope closes. */
export const reportPresence = Effect.fnUntraced(function* ({ load, parallel: slots, progress }: Presence) {
  const workers = yield* ClusterWorkers
  const begunAt = DateTime.formatIso(yield* DateTime.now)
  const report = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const shown = progress.shown(now)
    const calls = shown.length === 0 ? {} : { progress: shown }
    return workers.report({ name: workerName, version, begunAt, slots, ...load, ...calls })
  })
  yield* Effect.addFinalizer(() => Effect.ignore(workers.leave(workerName)))
  yield* report
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(report, Schedule.spaced(reportInterval))))
})
