/**
 * The PostgreSQL client: a pool of `pg` behind the `SqlClient` of effect. Every statement has a limit of its own. A connection on
 * which a statement gets no answer in time is closed and replaced, because a connection whose other end is gone says nothing.
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

/** How long a statement may take until its connection is closed; shorter than any time for which a query is tried again. */
export const StatementLimit = Context.Reference<Duration.Input>("task-conductor/plugins/cluster/StatementLimit", {
  defaultValue: () => "20 seconds"
})

/** How long opening a connection may take, or waiting for one that is free, in milliseconds. */
const connectLimit = 5000

/**
 * A transaction whose client is silent ends after this time: a worker that is stopped or cut off holds no rows that others wait for.
 * In the transaction itself, because poolers refuse it as a setting of the session.
 */
const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'"

/** The session is over: another connection may do what this one could not. */
const endsSession = (code: string | undefined): boolean => code !== undefined && /^(?:08|57P|25P03)/.test(code)

/** An error of the server has a SQLSTATE; everything else is about the connection. */
export const sqlErrorOf = (cause: unknown): SqlError => {
  const isOfServer = cause instanceof DatabaseError && !endsSession(cause.code)
  const reason = { cause, message: cause instanceof Error ? cause.message : String(cause) }
  return new SqlError({ reason: isOfServer ? new UnknownError(reason) : new ConnectionError(reason) })
}

/** The connections of a pool. */
interface Connections {
  readonly pool: Pool
  readonly openedAt: WeakMap<PoolClient, number>
  /** Connections that were opened before may be dead: one of them gave no answer. Milliseconds. */
  suspectBefore: number
}

/** A connection while somebody uses it. */
interface Lent {
  readonly client: PoolClient
  readonly among: Connections
  /** True when nobody else may use it any more. */
  isBroken: boolean
}

/** Closes the socket at once: the usual end would wait for a server that does not answer. */
const cut = (lent: Lent): void => {
  lent.isBroken = true
  const { connection } = lent.client as unknown as { readonly connection: { readonly stream: Socket } }
  connection.stream.destroy()
}

const noAnswer = (limit: Duration.Input) => sqlErrorOf(new Error(`no answer within ${String(limit)}`))

const send = (lent: Lent, text: string, values: ReadonlyArray<unknown>): Effect.Effect<QueryResult, SqlError> =>
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

const connectionOf = (lent: Lent): Connection => {
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(send(lent, text, values), (result): ReadonlyArray<QueryResultRow> => result.rows)
  const values = (text: string, given: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, given), (all) => all.map((row) => Object.values(row)))
  return {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: (text, values) =>
      /* Several statements in one text may leave a transaction open that failed. */
      Effect.tapError(send(lent, text, values), () => Effect.sync(() => void (lent.isBroken = true))),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: () => Stream.die("Statements of a cluster are not streamed.")
  }
}

const release = ({ client, isBroken }: Lent) => Effect.sync(() => client.release(isBroken))

/** Takes a connection of the pool until the scope closes; none that may be dead. */
const borrow = (among: Connections): Effect.Effect<Connection, SqlError, Scope.Scope> => {
  const take = async (): Promise<Lent> => {
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

/** PostgreSQL answers `ROLLBACK` to the `COMMIT` of a transaction that has failed. */
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
  /* Without a listener an error of a connection would end the process; whoever uses it gets the same error. */
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    openedAt.set(client, performance.now())
    client.on("error", () => undefined)
  })
  return { pool, openedAt, suspectBefore: 0 }
}

/** A pool with these settings; its first connection is opened by the first statement. */
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
