/**
 * What a worker says of itself: to the person at its machine when it joins others, and in the database as long as it is there.
 * Part of the composition root.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
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

const isBusy = ({ runs, tasks }: Load): boolean => runs + tasks > 0

/** A part of the work of others moves to a worker that joins. */
export const tellOfOthers = Effect.fnUntraced(function* (tell: (what: string) => Effect.Effect<void>) {
  const workers = yield* ClusterWorkers
  const busy = (yield* workers.alive).filter((one) => one.name !== workerName && isBusy(one))
  if (busy.length === 0) return
  yield* tell(
    "Other workers are at work. A part of their work moves here, as soon as the calls in it that are under way have ended."
  )
})

/** How often it is looked whether the worker got work or has none any more, in milliseconds. */
const loadPace = 200

/** Says in the database that this worker is there, until the scope closes; that it got work is said without delay. */
export const reportPresence = Effect.fnUntraced(function* ({ load, parallel: slots, progress }: Presence) {
  const workers = yield* ClusterWorkers
  const begunAt = DateTime.formatIso(yield* DateTime.now)
  let last = { at: 0, isBusy: false }
  const report = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    last = { at: now, isBusy: isBusy(load) }
    const shown = progress.shown(now)
    const calls = shown.length === 0 ? {} : { progress: shown }
    return workers.report({ name: workerName, version, begunAt, slots, ...load, ...calls })
  })
  const reportWhenDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - last.at >= Duration.toMillis(reportInterval) || isBusy(load) !== last.isBusy ? report : Effect.void
  )
  yield* Effect.addFinalizer(() => Effect.ignore(workers.leave(workerName)))
  yield* report
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(reportWhenDue, Schedule.spaced(loadPace))))
})
