import * as Cause from "effect/Cause"
import * as EntityAddress from "effect/cluster/EntityAddress"
import * as EntityId from "effect/cluster/EntityId"
import * as EntityType from "effect/cluster/EntityType"
import * as Envelope from "effect/cluster/Envelope"
import type * as Message from "effect/cluster/Message"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Snowflake from "effect/cluster/Snowflake"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Abandon } from "effect/cluster/ClusterSchema"
import { EntityNotAssignedToRunner, PersistenceError } from "effect/cluster/ClusterError"
import { layerLostWakes } from "../../../src/services/cluster/ClusterEngine.ts"

const shardId = ShardId.make("default", 7)
const address = EntityAddress.make({
  shardId,
  entityType: EntityType.make("Workflow/task-conductor/Run"),
  entityId: EntityId.make("run-1")
})
const envelope = Envelope.makeRequest({
  requestId: Snowflake.Snowflake("1"),
  address,
  tag: "run" as never,
  payload: {} as never,
  headers: {} as never
})
const message = { _tag: "OutgoingRequest", envelope } as unknown as Message.OutgoingRequest<never>

/** The storage as the engine sees it, of a worker that has the shard or not. */
const withStorage = <A, E>(
  world: { hasShard: boolean; readonly stored?: Partial<MessageStorage.MessageStorage["Service"]> },
  body: (storage: MessageStorage.MessageStorage["Service"]) => Effect.Effect<A, E>
) => {
  const sharding = Layer.mock(Sharding.Sharding)({ getShardId: () => shardId, hasShardId: () => world.hasShard })
  const stored = Layer.succeed(MessageStorage.MessageStorage)({ ...MessageStorage.noop, ...world.stored })
  return Effect.provide(
    MessageStorage.MessageStorage.use(body),
    Layer.provide(layerLostWakes, Layer.merge(sharding, stored))
  )
}

const idOf = (tag: string) => ({ address, tag, id: "" })

describe("what wakes a run", () => {
  it.effect("waits for the reply while the worker has the run, and no longer when it learns of the loss", () => {
    const loss = Deferred.makeUnsafe<void, EntityNotAssignedToRunner>()
    const registerReplyHandler = () => Deferred.await(loss)
    return withStorage({ hasShard: true, stored: { registerReplyHandler } }, (storage) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(storage.registerReplyHandler(message), { startImmediately: true })
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(waiting.pollUnsafe())
        yield* Deferred.fail(loss, new EntityNotAssignedToRunner({ address }))
        yield* Fiber.join(waiting)
      })
    )
  })

  it.effect("is abandoned when the worker has lost the run, though it was interrupted before", () => {
    const world = { hasShard: true, stored: { registerReplyHandler: () => Effect.never } }
    return withStorage(world, (storage) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* storage.requestIdForPrimaryKey(idOf("run")), Option.none())
        world.hasShard = false
        let cause: Cause.Cause<unknown> = Cause.empty
        /* As the engine runs it: nothing ends it from outside. */
        const wake = Effect.andThen(
          storage.registerReplyHandler(message),
          storage.requestIdForPrimaryKey(idOf("run"))
        ).pipe(
          Effect.onExit((exit) => Effect.sync(() => void (cause = Exit.isFailure(exit) ? exit.cause : Cause.empty))),
          Effect.uninterruptible
        )
        const waking = yield* Effect.forkChild(wake, { startImmediately: true })
        waking.interruptUnsafe()
        yield* TestClock.adjust("1 second")
        yield* Fiber.await(waking)
        assert.isTrue(cause.reasons.some((reason) => reason.annotations.has(Abandon.key)))
      })
    )
  })

  it.effect("of another worker, or of other kinds, is looked up as ever", () => {
    const world = { hasShard: false }
    return withStorage(world, (storage) =>
      Effect.gen(function* () {
        yield* storage.requestIdForPrimaryKey(idOf("run"))
        world.hasShard = true
        yield* storage.requestIdForPrimaryKey(idOf("run"))
        world.hasShard = false
        for (const tag of ["resume", "activity", "deferred"]) yield* storage.requestIdForPrimaryKey(idOf(tag))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(storage.requestIdForPrimaryKey(idOf("run")))))
      })
    )
  })

  it.effect("reads replies every second until the database is back", () => {
    let reads = 0
    const repliesForUnfiltered = () =>
      Effect.suspend(() =>
        (reads += 1) <= 60 ? Effect.fail(new PersistenceError({ cause: "away" })) : Effect.succeed([])
      )
    return withStorage({ hasShard: true, stored: { repliesForUnfiltered } }, (storage) =>
      Effect.gen(function* () {
        const reading = yield* Effect.forkChild(storage.repliesForUnfiltered([Snowflake.Snowflake("1")]))
        yield* TestClock.adjust("60 seconds")
        assert.deepStrictEqual(yield* Fiber.join(reading), [])
      })
    )
  })
})
