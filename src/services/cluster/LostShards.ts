/**
 * Ends what waits in this worker for a run that it no longer has. When a task ends, the engine wakes the run, and the wake
 * waits, uninterruptibly, until the run replies. A run that this worker loses does not reply here. The engine would then
 * abandon the wake, but not when it has interrupted it before: then it tries again for ever, longer and longer apart, and
 * takes no work meanwhile. Seen by the engine of workflows through this storage, such a wake comes to its end: it stops to
 * wait, and is abandoned where it looks for the run. The next worker makes it again.
 */
import * as Cause from "effect/Cause"
import { Abandon } from "effect/cluster/ClusterSchema"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

/** What the engine knows a run by, among the messages to it. */
const runTag = "run"

/** How long a wake that has nothing to wait for takes; nothing hurries it. */
const pace = "1 second"

const abandoned = Effect.failCause(Cause.annotate(Cause.interrupt(), Abandon.annotation))

/** How often replies are read again while the database is away; the engine would wait longer each time. */
const again = Schedule.spaced(pace)

/** The storage of messages, for the workflows of a worker. */
export const layerLostWakes: Layer.Layer<
  MessageStorage.MessageStorage,
  never,
  MessageStorage.MessageStorage | Sharding.Sharding
> = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.gen(function* () {
    const sharding = yield* Sharding.Sharding
    const storage = yield* MessageStorage.MessageStorage
    const held = new Set<string>()
    /** True for a part of the work that this worker had and has no longer. */
    const isLost = (shard: ShardId.ShardId): boolean => {
      if (!sharding.hasShardId(shard)) return held.has(shard.toString())
      held.add(shard.toString())
      return false
    }
    return MessageStorage.MessageStorage.of({
      ...storage,
      registerReplyHandler: (message) =>
        Effect.suspend(() =>
          isLost(message.envelope.address.shardId)
            ? Effect.sleep(pace)
            : Effect.catchTag(storage.registerReplyHandler(message), "EntityNotAssignedToRunner", () => Effect.void)
        ),
      repliesForUnfiltered: (requestIds) =>
        Effect.retry(storage.repliesForUnfiltered(requestIds), {
          schedule: again,
          while: ({ _tag }) => _tag === "PersistenceError"
        }),
      requestIdForPrimaryKey: (options) =>
        Effect.suspend(() =>
          options.tag === runTag && isLost(options.address.shardId)
            ? abandoned
            : storage.requestIdForPrimaryKey(options)
        )
    })
  })
)

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
