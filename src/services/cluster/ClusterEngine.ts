/**
 * The engine of effect/workflow for a cluster. Its machines meet only in the database: it holds the messages, and locks
 * say which worker has which runs, so that no port has to be open. A worker that stops refreshing its locks counts as
 * dead.
 */
import * as Cause from "effect/Cause"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Sharding from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import type * as SqlClient from "effect/sql/SqlClient"
import { Abandon } from "effect/cluster/ClusterSchema"
import { hostname } from "node:os"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { CallsUnderWay, ShardLocks } from "./CallsUnderWay.ts"
import { CurrentNotices, DatabaseUnavailable } from "./ClusterDatabase.ts"
import { ClusterWorkers } from "./ClusterWorkers.ts"

/** What the engine knows a run by, among the messages to it. */
const runTag = "run"

/** The shards of runs, which are distributed over the workers. */
const shardsPerGroup = 64
const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make("default", index + 1))

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

/** Watches the shards of this worker as long as the scope is open. */
const layerLostShards = Layer.effectDiscard(
  Effect.gen(function* () {
    const sharding = yield* Sharding.Sharding
    const storage = yield* MessageStorage.MessageStorage
    const held = new Set<ShardId.ShardId>()
    const look = Effect.gen(function* () {
      for (const shard of shards) {
        if (sharding.hasShardId(shard)) held.add(shard)
        else if (held.delete(shard)) yield* storage.unregisterShardReplyHandlers(shard)
      }
    })
    yield* Effect.forkScoped(Effect.repeat(look, again))
  })
)

/** All tables of the engine begin with this. */
const prefix = "task_conductor"

/** How long the locks of a dead worker last, and how often the other workers check them. */
const timing = {
  shardLockExpiration: "8 seconds",
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  entityMessagePollInterval: "250 millis",
  entityReplyPollInterval: "200 millis",
  entityTerminationTimeout: "1 second"
} as const

/** What the engine says when its locks cannot be refreshed. */
const lostLocks = "Shard lock storage is unhealthy"

/** What the engine logs, for a person; its causes are traces of this program. */
const sayPlainly = ({ message }: { readonly message: unknown }): string => {
  const text = (Array.isArray(message) ? message : [message]).filter((one) => typeof one === "string").join(" ")
  return text === lostLocks
    ? "The database does not answer in time: this worker stops what it does, and other workers take it over."
    : `The workflow engine says: ${text}`
}

/** Only what fails is reported, in one line, and never on stdout, which is for results. */
const quiet = Layer.merge(
  Layer.succeed(References.MinimumLogLevel)("Error"),
  Layer.unwrap(
    Effect.map(CurrentNotices, ({ says }) =>
      Logger.layer([Logger.make((logged) => void Effect.runFork(says(sayPlainly(logged))))])
    )
  )
)

const layerEngine = (
  address: Option.Option<RunnerAddress.RunnerAddress>
): Layer.Layer<WorkflowEngine | Sharding.Sharding | ShardLocks, never, SqlClient.SqlClient> =>
  Layer.merge(Layer.provide(ClusterWorkflowEngine.layer, layerLostWakes), layerLostShards).pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Layer.merge(Runners.layerNoop, RunnerHealth.layerNoop)),
    Layer.provideMerge(Layer.provide(SqlMessageStorage.layerWith({ prefix }), NodeCrypto.layer)),
    Layer.provideMerge(Layer.provide(ShardLocks.layer, SqlRunnerStorage.layerWith({ prefix }))),
    Layer.provide(ShardingConfig.layer({ ...timing, shardsPerGroup, runnerAddress: address })),
    Layer.provide(quiet),
    Layer.orDie
  )

/** The name of this process among workers. */
export const workerName = `${hostname()}-${process.pid}`

/** Executes workflows. The address is only a name; nothing connects to it. */
export const layerWorkerEngine = Layer.provideMerge(
  CallsUnderWay.layer,
  layerEngine(Option.some(RunnerAddress.make(workerName, process.pid)))
)

/** Starts workflows and answers their questions, but executes none. */
export const layerClientEngine = layerEngine(Option.none())

/** How long a worker waits for its shards before it reports that it is ready anyway. */
const sharePatience = "10 seconds"

/** True when this worker has a share of the work. */
const hasShare: Effect.Effect<boolean, never, Sharding.Sharding> = Sharding.Sharding.useSync((sharding) =>
  shards.some((shard) => sharding.hasShardId(shard))
)

/** Ends when this worker has its share of the shards, so that none is moved to it from other workers any more. */
export const awaitShare: Effect.Effect<void, never, Sharding.Sharding> = Effect.gen(function* () {
  while (!(yield* hasShare)) yield* Effect.sleep("100 millis")
}).pipe(Effect.timeoutOption(sharePatience), Effect.asVoid)

/** How many times in a row, a second apart, a worker has no share of the work while the database answers. */
const lostSharePatience = 20

/** Fails when this worker has had no share of the work for a while; one that joins may wait for calls of others to end. */
export const watchShare: Effect.Effect<never, DatabaseUnavailable, Sharding.Sharding | ClusterWorkers> = Effect.gen(
  function* () {
    const workers = yield* ClusterWorkers
    while (!(yield* hasShare)) yield* Effect.sleep("1 second")
    for (let without = 0; without < lostSharePatience;) {
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
