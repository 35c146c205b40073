import { assert, describe, it } from "@effect/vitest"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { PersistenceError } from "effect/cluster/ClusterError"
import { CallsUnderWay, ShardLocks, underWay } from "../../../src/services/cluster/CallsUnderWay.ts"
import { RunWorkflow } from "../../../src/services/cluster/RunWorkflow.ts"

const shard = ShardId.make("default", 1)
const address = RunnerAddress.make("worker", 1)

/** What may happen to the part of the work that a call belongs to. */
interface World {
  isMine: boolean
  isLost: boolean
  isEnding: boolean
  isOver: boolean
}

const layerOf = (world: World) => {
  const storage = Layer.mock(RunnerStorage.RunnerStorage)({
    acquire: () => Effect.succeed([shard]),
    refresh: () => (world.isLost ? Effect.fail(new PersistenceError({ cause: "away" })) : Effect.succeed([shard])),
    release: () => Effect.void
  })
  const sharding = Layer.mock(Sharding.Sharding)({
    getShardId: () => shard,
    hasShardId: () => world.isMine,
    isShutdown: Effect.sync(() => world.isEnding)
  })
  return Layer.provideMerge(CallsUnderWay.layer, Layer.merge(sharding, Layer.provide(ShardLocks.layer, storage)))
}

interface Given {
  /** Whether the call has begun, or waits. */
  readonly begins?: boolean
  /** What happens before the engine interrupts the call, and what happens then. */
  readonly before?: Partial<World>
  readonly after?: Partial<World>
}

/** Interrupts a call, and lets it end a second later; says whether it came to its end, and was interrupted before. */
const interrupted = ({ after = {}, before = {}, begins = true }: Given) => {
  const world: World = { isMine: true, isLost: false, isEnding: false, isOver: false }
  return Effect.gen(function* () {
    const { finish } = yield* CallsUnderWay
    const storage = yield* RunnerStorage.RunnerStorage
    const refresh = Effect.exit(Effect.suspend(() => storage.refresh(address, [shard])))
    yield* storage.acquire(address, [shard])
    const goes = yield* Deferred.make<void>()
    let end = "none"
    const call = Effect.onInterrupt(Deferred.await(goes), () => Effect.sync(() => void (end = "interrupted")))
    const done = Effect.andThen(begins ? underWay(call) : call, () => Effect.sync(() => void (end = "done")))
    const fiber = yield* Effect.forkChild(
      finish(
        done,
        Effect.sync(() => world.isOver)
      )
    )
    yield* TestClock.adjust("1 second")
    Object.assign(world, before)
    yield* refresh
    const left = yield* Effect.forkChild(Fiber.interrupt(fiber))
    yield* TestClock.adjust("1 second")
    Object.assign(world, after)
    yield* refresh
    yield* TestClock.adjust("1 second")
    yield* Deferred.succeed(goes, undefined)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(left)
    return end
  }).pipe(
    Effect.provide(layerOf(world)),
    Effect.provideService(WorkflowInstance, WorkflowInstance.initial(RunWorkflow, "run-1"))
  )
}

describe("a call that the engine interrupts", () => {
  const away = { isMine: false }
  for (const [what, given, end] of [
    ["ends, when its part is given away", { before: away }, "done"],
    ["is broken off, when its part stays", {}, "interrupted"],
    ["is broken off, when it only waits", { before: away, begins: false }, "interrupted"],
    ["is broken off, when its part is lost", { before: { ...away, isLost: true } }, "interrupted"],
    ["is broken off, when its part is lost while it ends", { before: away, after: { isLost: true } }, "interrupted"],
    ["is broken off, when the worker ends", { before: { ...away, isEnding: true } }, "interrupted"],
    ["is broken off, when the worker ends meanwhile", { before: away, after: { isEnding: true } }, "interrupted"],
    ["is broken off, when the run is cancelled", { before: away, after: { isOver: true } }, "interrupted"]
  ] satisfies ReadonlyArray<readonly [string, Given, string]>) {
    it.effect(what, () => Effect.map(interrupted(given), (found) => assert.strictEqual(found, end)))
  }
})
