/**
 * Finds out that a worker cannot take up its work again after the database was away: the engine takes no work before
 * everything that it interrupted has ended, and something may never end. Such a worker has to end, so that others go on.
 */
import * as Effect from "effect/Effect"
import type * as Sharding from "effect/cluster/Sharding"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { hasShare } from "./ClusterEngine.ts"
import { ClusterWorkers } from "./ClusterWorkers.ts"

/** How many times in a row, a second apart, a worker has no share of the work while the database answers. */
const patience = 20

/** Fails when this worker has had no share of the work for a while; one that joins may wait for calls of others to end. */
export const watchShare: Effect.Effect<never, DatabaseUnavailable, Sharding.Sharding | ClusterWorkers> = Effect.gen(
  function* () {
    const workers = yield* ClusterWorkers
    while (!(yield* hasShare)) yield* Effect.sleep("1 second")
    for (let without = 0; without < patience;) {
      yield* Effect.sleep("1 second")
      /* This waits while the database does not answer. */
      yield* workers.alive
      without = (yield* hasShare) ? 0 : without + 1
    }
    return yield* new DatabaseUnavailable({
      what: "this worker could not take up its work again after the database was away. Other workers go on with it; start this worker again"
    })
  }
)
