/**
 * Tells what waits in this worker for a run that the run is lost, as soon as it is. The engine would say so after it has
 * released the run, and release the run after what waits for it has ended. What begins to wait later ends by itself
 * (`LostWakes.ts`).
 */
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

const interval = Schedule.spaced("1 second")

/** Watches the shards of this worker as long as the scope is open. */
export const layerLostShards = (shardsPerGroup: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sharding = yield* Sharding.Sharding
      const storage = yield* MessageStorage.MessageStorage
      const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make("default", index + 1))
      const held = new Set<ShardId.ShardId>()
      const look = Effect.gen(function* () {
        for (const shard of shards) {
          if (sharding.hasShardId(shard)) held.add(shard)
          else if (held.delete(shard)) yield* storage.unregisterShardReplyHandlers(shard)
        }
      })
      yield* Effect.forkScoped(Effect.repeat(look, interval))
    })
  )
