/**
 * Which locks on parts of the work this worker has, as the database said last. The engine gives a part away by finishing what
 * is in it and then releasing its lock; it loses a part when a lock cannot be confirmed, and then others may have it already.
 */
import * as Context from "effect/Context"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import type * as ShardId from "effect/cluster/ShardId"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

/** Observes the locks on their way between the engine and the database. */
const observed = (storage: RunnerStorage.RunnerStorage["Service"]) => {
  const held = new Set<string>()
  const drop = (shards: Iterable<ShardId.ShardId>): void => {
    for (const shard of shards) held.delete(shard.toString())
  }
  const keep = (shards: Iterable<ShardId.ShardId>): void => {
    for (const shard of shards) held.add(shard.toString())
  }
  return {
    isHeld: (shard: ShardId.ShardId): boolean => held.has(shard.toString()),
    storage: RunnerStorage.RunnerStorage.of({
      ...storage,
      acquire: (address, shards) =>
        Effect.tap(storage.acquire(address, shards), (found) => Effect.sync(() => keep(found))),
      refresh: (address, shards) =>
        Effect.onExit(storage.refresh(address, shards), (exit) =>
          Effect.sync(() => {
            drop(shards)
            if (Exit.isSuccess(exit)) keep(exit.value)
          })
        ),
      release: (address, shard) =>
        Effect.andThen(
          Effect.sync(() => drop([shard])),
          storage.release(address, shard)
        ),
      releaseAll: (address) =>
        Effect.andThen(
          Effect.sync(() => held.clear()),
          storage.releaseAll(address)
        )
    })
  }
}

export class ShardLocks extends Context.Service<
  ShardLocks,
  {
    /** True for a part that no other worker can have, also while this worker gives it away. */
    isHeld(shard: ShardId.ShardId): boolean
  }
>()("task-conductor/services/cluster/ShardLocks") {
  /** The storage of locks, observed. */
  static readonly layer: Layer.Layer<ShardLocks | RunnerStorage.RunnerStorage, never, RunnerStorage.RunnerStorage> =
    Layer.effectContext(
      Effect.map(RunnerStorage.RunnerStorage, (inner) => {
        const { isHeld, storage } = observed(inner)
        return Context.make(RunnerStorage.RunnerStorage, storage).pipe(
          Context.add(ShardLocks, ShardLocks.of({ isHeld }))
        )
      })
    )
}
