/**
 * Removes ended runs that nobody wants to keep any more, by the settings of a worker.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { RunsKept } from "../../domain/configuration/RunsKept.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** Removes what is older or more than what is kept, and returns the ids. A run that has not ended is never removed. */
export const removeOldRuns = Effect.fn("removeOldRuns")(function* ({
  days,
  newest
}: RunsKept): Effect.fn.Return<ReadonlyArray<string>, DatabaseUnavailable, ClusterRuns> {
  const runs = yield* ClusterRuns
  const before = days === undefined ? "" : DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days }))
  const all = yield* runs.list
  const old = all.filter(
    ({ begunAt, ending }, at) => ending !== undefined && (begunAt < before || (newest !== undefined && at >= newest))
  )
  const removed = yield* Effect.filter(old, ({ run }) => runs.remove(run.opened.order.runId))
  return removed.map(({ run }) => run.opened.order.runId)
})
