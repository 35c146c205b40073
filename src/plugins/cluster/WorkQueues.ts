/**
 * The queues of cluster runs. pg-boss stores pieces of work and their results, and hands out a piece again if its
 * heartbeats stop. pg-boss uses the connections and transactions of this program, so this program's time limits and
 * error rules apply.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import { DatabaseError } from "pg"
import type { ConnectionOptions, PgBoss } from "pg-boss"
import { sqlErrorOf, StatementLimit } from "./PostgresClient.ts"

/**
 * The kinds of pieces. `run` leads a run from its order to its report. The phases of a task are `refine` and `task`.
 */
export const workKinds = ["run", "refine", "task"] as const
export type WorkKind = (typeof workKinds)[number]

/** The schema of pg-boss in the database. Another program may use the default schema. */
export const bossSchema = "task_conductor_boss"

/** After this many seconds without a heartbeat, another worker gets the piece. pg-boss accepts no smaller number. */
export const heartbeatSeconds = 10

/** The SQL condition on the row `r` of a run: a worker leads the run and sends heartbeats. */
export const isLed = `EXISTS (SELECT FROM ${bossSchema}.job j WHERE j.state = 'active' AND j.singleton_key = r.run_id
  AND j.name LIKE 'run/%' AND j.heartbeat_on > clock_timestamp() - interval '${heartbeatSeconds} seconds')`

/** The name of a queue for one build of the program. pg-boss allows no plus sign in the name. */
export const queueOf = (kind: WorkKind, program: string): string => `${kind}/${program.replace("+", "/")}`
export const queuesOf = (program: string): ReadonlyArray<string> => workKinds.map((kind) => queueOf(kind, program))
/** The queue for this kind of piece, of the same build as the given queue. */
export const queueLike = (queue: string, kind: WorkKind): string => queue.replace(/^[^/]+/, kind)
export const queuesLike = (queue: string): ReadonlyArray<string> => workKinds.map((kind) => queueLike(queue, kind))
export const kindOf = (queue: string): WorkKind => workKinds.find((kind) => queue.startsWith(`${kind}/`)) ?? "run"

/** The id of a piece. Every worker computes the same id from the piece's key and the id of the leading piece. */
export const pieceId = (leader: string, key: string): string => {
  const hex = createHash("sha256").update(`${leader} ${key}`).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Tells pg-boss which connection to use. */
export type BossOptions = Required<Pick<ConnectionOptions, "db">>

const queueOptions = {
  heartbeatSeconds,
  retryLimit: 2 ** 31 - 1,
  /* The maximum that pg-boss allows. A piece that takes longer is handed out again, and continues from its journal. */
  expireInSeconds: 24 * 3600,
  retentionSeconds: 365 * 24 * 3600,
  deleteAfterSeconds: 7 * 24 * 3600
}

/** The time limit for statements that create tables or indexes. */
const definitionLimit = "1 hour"
const isDefinition = (text: string): boolean => /\b(?:CREATE|ALTER|DROP|REINDEX)\b/.test(text.slice(0, 500))

/**
 * Lets pg-boss send its statements on a connection of the pool, and in the transaction of the context if there is one.
 */
const databaseOf = (
  sql: SqlClient.SqlClient,
  context: Context.Context<never>,
  signal?: AbortSignal
): BossOptions["db"] => ({
  executeSql: (text, values = []) => {
    const query = sql.unsafe(text, values).raw as Effect.Effect<{ rows: Array<object> }, SqlError>
    const limited = isDefinition(text) ? Effect.provideService(query, StatementLimit, definitionLimit) : query
    /* pg-boss needs the original error, because it reads the SQLSTATE. */
    return Effect.runPromiseWith(context)(limited, { signal }).catch((error: unknown) =>
      Promise.reject(isSqlError(error) && error.reason.cause instanceof DatabaseError ? error.reason.cause : error)
    )
  }
})

const bossError = (error: unknown): SqlError => {
  if (isSqlError(error)) return error
  if (error instanceof DatabaseError) return sqlErrorOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return new SqlError({ reason: new UnknownError({ cause: error, message }) })
}

const isDuplicate = ({ reason: { cause } }: SqlError): boolean =>
  cause instanceof DatabaseError && cause.code === "23505"

/** Starts pg-boss, which creates or upgrades its tables. */
const start = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { PgBoss } = yield* Effect.promise(() => import("pg-boss"))
  const boss = new PgBoss({
    db: databaseOf(sql, Context.empty()),
    schema: bossSchema,
    /* Workers call `supervise` themselves when they see a piece whose heartbeats have stopped. */
    supervise: false,
    monitorIntervalSeconds: 1,
    schedule: false,
    registerInstance: false,
    bamIntervalSeconds: 600,
    openTelemetry: { enabled: false }
  })
  /* Ignores errors of background work, which pg-boss retries. Callers get the errors of their own calls. */
  boss.on("error", () => undefined)
  /*
   * If two programs create the schema at the same time, PostgreSQL rejects one. The rejected program tries again and
   * finds the schema.
   */
  yield* Effect.retry(Effect.tryPromise({ try: () => boss.start(), catch: bossError }), {
    times: 3,
    while: isDuplicate
  })
  return boss
})

const makeQueues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const starting = yield* Effect.cachedWithTTL(start(sql), (exit) =>
    Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
  )
  let started: PgBoss | undefined
  const boss = Effect.tap(starting, (made) => Effect.sync(() => void (started = made)))
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => started?.stop({ graceful: false }).catch(() => undefined) ?? Promise.resolve())
  )
  const existing = new Set<string>()
  const use = Effect.fnUntraced(function* <A>(
    call: (boss: PgBoss, options: BossOptions) => Promise<A>
  ): Effect.fn.Return<A, SqlError> {
    const ready = yield* boss
    const context = yield* Effect.context<never>()
    return yield* Effect.tryPromise({
      try: (signal) => call(ready, { db: databaseOf(sql, context, signal) }),
      catch: bossError
    })
  })
  return {
    /** Completes when the tables of pg-boss exist. */
    ready: Effect.asVoid(boss),
    /** Calls pg-boss, in the current transaction if there is one. */
    use,
    ensure: Effect.fnUntraced(function* (program: string) {
      for (const queue of queuesOf(program)) {
        if (existing.has(queue)) continue
        yield* use((ready) => ready.createQueue(queue, queueOptions))
        existing.add(queue)
      }
    })
  }
})

/** The queues of pieces. The first use loads and starts pg-boss. */
export class WorkQueues extends Context.Service<WorkQueues>()("task-conductor/plugins/cluster/WorkQueues", {
  make: makeQueues
}) {
  static readonly layer = Layer.effect(this, this.make)
}
