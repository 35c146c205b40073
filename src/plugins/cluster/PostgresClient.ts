/**
 * The client for PostgreSQL: a pool of `pg` connections behind effect's `SqlClient`. Every statement has a time limit,
 * after which its connection is closed and replaced. Without the limit, a connection whose other end has disappeared
 * would never report an error.
 */
import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryResult, type QueryResultRow } from "pg"
import type { Socket } from "node:net"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"

/** The time limit of a statement. It is shorter than the time for which queries are retried. */
export const StatementLimit = Context.Reference<Duration.Input>("task-conductor/plugins/cluster/StatementLimit", {
  defaultValue: () => "20 seconds"
})

/** The time limit for opening a connection or waiting for a free connection, in milliseconds. */
const connectLimit = 5000

/**
 * Begins a transaction. PostgreSQL ends it if the client is silent for 5 seconds, so a stopped or unreachable worker
 * holds no locks. Connection poolers reject this limit as a setting of the session.
 */
const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'"

/** True for a SQLSTATE that ends the session. The statement may succeed on another connection. */
const endsSession = (code: string | undefined): boolean => code !== undefined && /^(?:08|57P|25P03)/.test(code)

/**
 * A server error that leaves the session alive becomes an `UnknownError`. Any other error becomes a `ConnectionError`,
 * which is retried.
 */
export const sqlErrorOf = (cause: unknown): SqlError => {
  const isOfServer = cause instanceof DatabaseError && !endsSession(cause.code)
  const reason = { cause, message: cause instanceof Error ? cause.message : String(cause) }
  return new SqlError({ reason: isOfServer ? new UnknownError(reason) : new ConnectionError(reason) })
}

interface Connections {
  readonly pool: Pool
  readonly openedAt: WeakMap<PoolClient, number>
  /**
   * When a connection last failed to answer, in milliseconds of `performance.now()`. Connections that were opened
   * before this time may be dead.
   */
  suspectBefore: number
}

interface Borrowed {
  readonly client: PoolClient
  readonly among: Connections
  /** True if the pool must close the connection. */
  isBroken: boolean
}

/** Closes the socket at once. A normal close would wait for a server that does not answer. */
const cut = (lent: Borrowed): void => {
  lent.isBroken = true
  const { connection } = lent.client as unknown as { readonly connection: { readonly stream: Socket } }
  connection.stream.destroy()
}

const noAnswer = (limit: Duration.Input) => sqlErrorOf(new Error(`no answer within ${String(limit)}`))

const send = (lent: Borrowed, text: string, values: ReadonlyArray<unknown>): Effect.Effect<QueryResult, SqlError> =>
  Effect.flatMap(StatementLimit, (limit) =>
    Effect.callback<QueryResult, SqlError>((resume) => {
      lent.client.query(text, [...values], (error: Error | null, result: QueryResult) => {
        if (error === null) return resume(Effect.succeed(result))
        if (!(error instanceof DatabaseError)) lent.isBroken = true
        return resume(Effect.fail(sqlErrorOf(error)))
      })
      return Effect.sync(() => cut(lent))
    }).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => {
          lent.among.suspectBefore = performance.now()
          return Effect.fail(noAnswer(limit))
        }
      })
    )
  )

const connectionOf = (lent: Borrowed): Connection => {
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(send(lent, text, values), (result): ReadonlyArray<QueryResultRow> => result.rows)
  const values = (text: string, given: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, given), (all) => all.map((row) => Object.values(row)))
  return {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: (text, values) =>
      /*
       * If an SQL text with several statements fails, its transaction may stay open. So the connection is not used
       * again.
       */
      Effect.tapError(send(lent, text, values), () => Effect.sync(() => void (lent.isBroken = true))),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: () => Stream.die("Statements of a cluster are not streamed.")
  }
}

const release = ({ client, isBroken }: Borrowed) => Effect.sync(() => client.release(isBroken))

/** Borrows a connection until the scope closes. Connections that may be dead are closed first. */
const borrow = (among: Connections): Effect.Effect<Connection, SqlError, Scope.Scope> => {
  const take = async (): Promise<Borrowed> => {
    for (;;) {
      const client = await among.pool.connect()
      if ((among.openedAt.get(client) ?? 0) >= among.suspectBefore) return { client, among, isBroken: false }
      cut({ client, among, isBroken: true })
      client.release(true)
    }
  }
  const connect = Effect.tryPromise({ try: take, catch: sqlErrorOf })
  return Effect.map(Effect.acquireRelease(connect, release), connectionOf)
}

const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: Statement.defaultEscape('"'),
  onRecordUpdate: (placeholders, alias, columns, values) => [
    `(values ${placeholders}) AS ${alias}${columns}`,
    values.flat()
  ],
  onCustom: (_, placeholder) => [placeholder(undefined), []]
})

/**
 * Commits a transaction. If the transaction has failed before, PostgreSQL answers `ROLLBACK`, and this function fails.
 */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as QueryResult).command === "ROLLBACK"
      ? Effect.fail(sqlErrorOf(new Error("the transaction was rolled back")))
      : Effect.void
  )

const openPool = (settings: PoolConfig): Connections => {
  const pool = new Pool({
    application_name: "task-conductor",
    connectionTimeoutMillis: connectLimit,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    ...settings
  })
  const openedAt = new WeakMap<PoolClient, number>()
  /* Without a listener, an error event would end the process. Callers get the errors of their queries in any case. */
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    openedAt.set(client, performance.now())
    client.on("error", () => undefined)
  })
  return { pool, openedAt, suspectBefore: 0 }
}

/** The SQL client over a pool, which opens its first connection for the first statement. */
export const layerPostgres = (settings: PoolConfig): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const among = yield* Effect.acquireRelease(
        Effect.sync(() => openPool(settings)),
        ({ pool }) =>
          Effect.ignore(
            Effect.timeoutOption(
              Effect.promise(() => pool.end()),
              "1 second"
            )
          )
      )
      const acquirer = borrow(among)
      const how = { beginTransaction: begin, commit, compiler, driver: "pg", spanAttributes: [] }
      return yield* SqlClient.make({ acquirer, ...how })
    })
  ).pipe(Layer.provide(Reactivity.layer))
