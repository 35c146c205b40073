/**
 * Lets calls end that are under way when the part of the work that they belong to goes to a worker that joins. The engine
 * interrupts what it gives away, and keeps the lock until all of it has ended: until then no other worker begins it. A call
 * that only waits, for a slot of the model server or for a person, is not under way.
 */
import * as Context from "effect/Context"
import * as EntityId from "effect/cluster/EntityId"
import type * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { WorkflowInstance } from "effect/workflow/WorkflowEngine"
import * as RunnerStorage from "effect/cluster/RunnerStorage"

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
      Effect.map(RunnerStorage.RunnerStorage, (storage) => {
        const held = new Set<string>()
        const note = (lost: Iterable<ShardId.ShardId>, found: Iterable<ShardId.ShardId>) =>
          Effect.sync(() => {
            for (const shard of lost) held.delete(shard.toString())
            for (const shard of found) held.add(shard.toString())
          })
        const observed = RunnerStorage.RunnerStorage.of({
          ...storage,
          acquire: (address, shards) => Effect.tap(storage.acquire(address, shards), (found) => note([], found)),
          refresh: (address, shards) =>
            Effect.onExit(storage.refresh(address, shards), (exit) =>
              note(shards, Exit.isSuccess(exit) ? exit.value : [])
            ),
          release: (address, shard) => Effect.andThen(note([shard], []), storage.release(address, shard)),
          releaseAll: (address) =>
            Effect.andThen(
              Effect.sync(() => held.clear()),
              storage.releaseAll(address)
            )
        })
        return Context.make(RunnerStorage.RunnerStorage, observed).pipe(
          Context.add(ShardLocks, ShardLocks.of({ isHeld: (shard) => held.has(shard.toString()) }))
        )
      })
    )
}

/** How many things are under way in the call of the current fiber. */
const CurrentCall = Context.Reference("task-conductor/services/cluster/CallsUnderWay/CurrentCall", {
  defaultValue: () => ({ underWay: 0 })
})

/** From here the call is under way; when this fails, it waits again. */
export const underWay = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentCall, (call) =>
    Effect.suspend(() => {
      call.underWay += 1
      return Effect.onExit(work, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) call.underWay -= 1
        })
      )
    })
  )

/** How often it is looked whether a call may go on. */
const pace = "50 millis"

/** Runs a call of a workflow, and lets it end when its workflow is given away. `isOver` says that its run has ended. */
type Finish = <A, E, R>(call: Effect.Effect<A, E, R>, isOver: Effect.Effect<boolean>) => Effect.Effect<A, E, R>

export class CallsUnderWay extends Context.Service<CallsUnderWay, { readonly finish: Finish }>()(
  "task-conductor/services/cluster/CallsUnderWay"
) {
  static readonly layer = Layer.effect(
    CallsUnderWay,
    Effect.gen(function* () {
      const sharding = yield* Sharding.Sharding
      const locks = yield* ShardLocks

      /** True while the part is on its way to another worker; not when it was lost, nor when this worker ends. */
      const isGivenAway = (shard: ShardId.ShardId) =>
        Effect.map(
          sharding.isShutdown,
          (isShutdown) => !isShutdown && !sharding.hasShardId(shard) && locks.isHeld(shard)
        )

      const finish: Finish = (call, isOver) =>
        Effect.flatMap(Effect.serviceOption(WorkflowInstance), (instance) => {
          if (Option.isNone(instance)) return call
          const shard = sharding.getShardId(EntityId.make(instance.value.executionId), "default")
          const mark = { underWay: 0 }
          const mayEnd = (fiber: Fiber.Fiber<unknown, unknown>) =>
            Effect.suspend(() =>
              fiber.pollUnsafe() !== undefined || mark.underWay === 0
                ? Effect.succeed(false)
                : Effect.andThen(isGivenAway(shard), (isGiven) =>
                    isGiven ? Effect.map(isOver, (is) => !is) : Effect.succeed(false)
                  )
            )
          return Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const fiber = yield* Effect.forkDetach(Effect.provideService(call, CurrentCall, mark))
              const leave = Effect.gen(function* () {
                while (yield* mayEnd(fiber)) yield* Effect.sleep(pace)
                yield* Fiber.interrupt(fiber)
              })
              return yield* Effect.onInterrupt(restore(Fiber.join(fiber)), () => leave)
            })
          )
        })

      return CallsUnderWay.of({ finish })
    })
  )
}
