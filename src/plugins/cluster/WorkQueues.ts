/**
 * pg-boss, which carries the work of cluster runs: it hands pieces out, takes heartbeats, gives on what has none, and keeps results.
 * Its statements go over our own connections and into our own transactions, so that our limits and our table of errors hold for them.
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

/** `run` leads a run from its order to its report; `refine` and `task` are the phases of a task. */
export const workKinds = ["run", "refine", "task"] as const
export type WorkKind = (typeof workKinds)[number]

/** The schema of pg-boss: not its usual one, which other programs may have in the same database. */
export const bossSchema = "task_conductor_boss"

/** A piece without a heartbeat for this time goes to another worker, in seconds. pg-boss takes no less. */
export const heartbeatSeconds = 10

/** SQL: true for a run that a worker has whose heartbeats go on; `r` is its row. */
export const isLed = `EXISTS (SELECT FROM ${bossSchema}.job j WHERE j.state = 'active' AND j.singleton_key = r.run_id
  AND j.name LIKE 'run/%' AND j.heartbeat_on > clock_timestamp() - interval '${heartbeatSeconds} seconds')`

/** Each build has queues of its own. The name of a queue may hold no plus sign. */
export const queueOf = (kind: WorkKind, program: string): string => `${kind}/${program.replace("+", "/")}`
export const queuesOf = (program: string): ReadonlyArray<string> => workKinds.map((kind) => queueOf(kind, program))
/** The queues of the same build as this one, and that of one kind. */
export const queueLike = (queue: string, kind: WorkKind): string => queue.replace(/^[^/]+/, kind)
export const queuesLike = (queue: string): ReadonlyArray<string> => workKinds.map((kind) => queueLike(queue, kind))
export const kindOf = (queue: string): WorkKind => workKinds.find((kind) => queue.startsWith(`${kind}/`)) ?? "run"

/** The id of a piece by its key, which is the same on every worker; `leader` is the piece that leads its run. */
export const pieceId = (leader: string, key: string): string => {
  const hex = createHash("sha256").update(`${leader} ${key}`).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** What pg-boss sends a statement with. */
export type BossOptions = Required<Pick<ConnectionOptions, "db">>

const queueOptions = {
  heartbeatSeconds,
  retryLimit: 2 ** 31 - 1,
  /* The most that pg-boss allows: what takes longer is handed out once more, and goes on from its journal. */
  expireInSeconds: 24 * 3600,
  retentionSeconds: 365 * 24 * 3600,
  deleteAfterSeconds: 7 * 24 * 3600
}

/** How long a statement takes that makes tables or an index. */
const definitionLimit = "1 hour"
const isDefinition = (text: string): boolean => /\b(?:CREATE|ALTER|DROP|REINDEX)\b/.test(text.slice(0, 500))

/** What pg-boss sends its statements with: a connection of the pool, or that of the transaction in this context. */
const databaseOf = (
  sql: SqlClient.SqlClient,
  context: Context.Context<never>,
  signal?: AbortSignal
): BossOptions["db"] => ({
  executeSql: (text, values = []) => {
    const query = sql.unsafe(text, values).raw as Effect.Effect<{ rows: Array<object> }, SqlError>
    const limited = isDefinition(text) ? Effect.provideService(query, StatementLimit, definitionLimit) : query
    /* pg-boss reads the codes of the server. */
    return Effect.runPromiseWith(context)(limited, { signal }).catch((error: unknown) =>
      Promise.reject(isSqlError(error) && error.reason.cause instanceof DatabaseError ? error.reason.cause : error)
    )
  }
})

/** An error that pg-boss passes on, or makes itself. */
const bossError = (error: unknown): SqlError => {
  if (isSqlError(error)) return error
  if (error instanceof DatabaseError) return sqlErrorOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return new SqlError({ reason: new UnknownError({ cause: error, message }) })
}

const isDuplicate = ({ reason: { cause } }: SqlError): boolean =>
  cause instanceof DatabaseError && cause.code === "23505"

/** Makes or changes its tables when they are missing or older. */
const start = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { PgBoss } = yield* Effect.promise(() => import("pg-boss"))
  const boss = new PgBoss({
    db: databaseOf(sql, Context.empty()),
    schema: bossSchema,
    /* Workers call for supervision when they see that something is late. */
    supervise: false,
    monitorIntervalSeconds: 1,
    schedule: false,
    registerInstance: false,
    bamIntervalSeconds: 600,
    openTelemetry: { enabled: false }
  })
  /* Those who call get their errors. What it does by itself it tries again. */
  boss.on("error", () => undefined)
  /* Two that make the schema at once: PostgreSQL refuses one of them, which then finds it made. */
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
    /** Its tables are there. */
    ready: Effect.asVoid(boss),
    /** Calls pg-boss, within the transaction that is under way when there is one. */
    use,
    /** Makes the queues of a program. */
    ensure: Effect.fnUntraced(function* (program: string) {
      for (const queue of queuesOf(program)) {
        if (existing.has(queue)) continue
        yield* use((ready) => ready.createQueue(queue, queueOptions))
        existing.add(queue)
      }
    })
  }
})

/** The queues of work; pg-boss is loaded and started with the first call. */
export class WorkQueues extends Context.Service<WorkQueues>()("task-conductor/plugins/cluster/WorkQueues", {
  make: makeQueues
}) {
  static readonly layer = Layer.effect(this, this.make)
}
