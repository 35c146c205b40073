/**
 * Ends what waits in this worker for a run that it has lost. When a task ends, the engine wakes the run, and the wake waits,
 * uninterruptibly, until the run replies. When the worker loses the run, because it was stopped or the database was away, the
 * run is interrupted and does not reply; the engine would end the wait after it has released the run, and release the run
 * after the wait. Nobody could go on with the run until the worker ends.
 */
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"

const interval = Schedule.spaced("1 second")

/**
 * How often the waits of a lost shard are ended, counted while the database answers: what was interrupted with it may have
 * something to write before it ends, and a wait may begin again after that.
 */
const times = 20

/** Watches the shards of this worker as long as the scope is open. */
export const layerLostShards = (shardsPerGroup: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sharding = yield* Sharding.Sharding
      const sql = yield* SqlClient.SqlClient
      const storage = yield* MessageStorage.MessageStorage
      const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make("default", index + 1))
      const held = new Set<ShardId.ShardId>()
      const lost = new Map<ShardId.ShardId, number>()
      const answers = sql`SELECT 1`.pipe(Effect.timeout("1 second"), Effect.isSuccess)
      const look = Effect.gen(function* () {
        const isThere = lost.size === 0 || (yield* answers)
        for (const shard of shards) {
          if (sharding.hasShardId(shard)) {
            held.add(shard)
            lost.delete(shard)
            continue
          }
          if (held.delete(shard)) lost.set(shard, times)
          const left = lost.get(shard)
          if (left === undefined) continue
          yield* storage.unregisterShardReplyHandlers(shard)
          if (isThere) lost.set(shard, left - 1)
          if (isThere && left <= 1) lost.delete(shard)
        }
      })
      yield* Effect.forkScoped(Effect.repeat(look, interval))
    })
  )
