/** The database of a cluster: its tables, and the connection that all services use. */
import type { PoolConfig } from "pg"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { databaseErrorText, DatabaseUnavailable, retryTransient, saysItPasses } from "./DatabaseErrors.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { layerPostgres } from "./PostgresClient.ts"

/**
 * Tables for runs, their records, workers and answers. pg-boss stores the pieces of work in its own tables.
 * - `records` of a run is the number of its last record. It grows under a lock of the row, so that a reader who continues
 *   after a known `seq` misses no record.
 * - `token` identifies a record, so that it can be inserted again if the answer of the database is lost.
 * - `event` is the type of the event in a record, or empty.
 * - `leader` is the id of the piece that leads a run. `led_by` is the worker that last claimed this piece.
 * - `task_conductor_declined` says why a worker cannot do a piece.
 * - The index `task_conductor_one_at_a_time` lets only one run at a time change a project.
 */
const tables = [
  `CREATE TABLE IF NOT EXISTS task_conductor_runs (
    run_id text PRIMARY KEY, project text NOT NULL, read_only boolean NOT NULL, begun_at text NOT NULL,
    shared text NOT NULL, records integer NOT NULL DEFAULT 0, size bigint NOT NULL DEFAULT 0, cancelled boolean NOT NULL DEFAULT false,
    ending text)`,
  `ALTER TABLE task_conductor_runs ADD COLUMN IF NOT EXISTS program text NOT NULL DEFAULT ''`,
  `CREATE UNIQUE INDEX IF NOT EXISTS task_conductor_one_at_a_time
    ON task_conductor_runs (project) WHERE ending IS NULL AND NOT read_only`,
  `CREATE TABLE IF NOT EXISTS task_conductor_records (
    run_id text NOT NULL REFERENCES task_conductor_runs ON DELETE CASCADE, seq integer NOT NULL, at text NOT NULL,
    type text NOT NULL, key text NOT NULL, json text NOT NULL, token uuid NOT NULL UNIQUE, PRIMARY KEY (run_id, seq))`,
  `ALTER TABLE task_conductor_records ADD COLUMN IF NOT EXISTS event text NOT NULL DEFAULT ''`,
  `CREATE TABLE IF NOT EXISTS task_conductor_workers (
    name text PRIMARY KEY, begun_at text NOT NULL, report text NOT NULL, seen_at timestamptz NOT NULL)`,
  `ALTER TABLE task_conductor_workers ADD COLUMN IF NOT EXISTS program text NOT NULL DEFAULT ''`,
  `CREATE TABLE IF NOT EXISTS task_conductor_answers (
    run_id text NOT NULL REFERENCES task_conductor_runs ON DELETE CASCADE, question text NOT NULL, answer text NOT NULL,
    PRIMARY KEY (run_id, question))`,
  `ALTER TABLE task_conductor_runs ADD COLUMN IF NOT EXISTS leader uuid, ADD COLUMN IF NOT EXISTS led_by text`,
  `CREATE TABLE IF NOT EXISTS task_conductor_declined (
    run_id text NOT NULL REFERENCES task_conductor_runs ON DELETE CASCADE, id uuid NOT NULL, worker text NOT NULL,
    why text NOT NULL, PRIMARY KEY (id, worker))`
]

/** The key of the lock under which tables are created: a number that no other program locks. */
const tablesLock = 5_247_001

/** True if the newest table exists. All other tables then exist too. */
const areThere = `SELECT to_regclass('task_conductor_declined') IS NOT NULL AS "areThere"`

/**
 * Runs `work` in a transaction. If a rollback fails on a broken connection, the library `effect` reports a defect,
 * which becomes a `SqlError` here.
 */
export const transaction = <A, E>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.catchDefect(sql.withTransaction(work), (defect) =>
    isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
  )

/**
 * Creates missing tables, in one process at a time. Existing tables are not defined again: a definition locks its
 * table, which would stop other workers.
 */
const makeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly areThere: boolean }>(areThere)
  /* This query fails if a grant is missing at the start. If a grant is revoked later, workers wait for it. */
  if (found?.areThere === true) return yield* sql`SELECT FROM task_conductor_runs LIMIT 0`
  yield* transaction(
    sql,
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${tablesLock})`
      for (const table of tables) yield* sql.unsafe(table)
    })
  )
})

const lacksTls = ({ what }: DatabaseUnavailable): boolean => what.includes("does not support SSL")

/**
 * Connects to the database. Tries again if the server says that it is starting or stopping. A wrong address or a
 * missing grant fails at once.
 */
const connect = Effect.fnUntraced(function* (settings: PoolConfig) {
  const connection = yield* Layer.build(layerPostgres(settings))
  const prepared = Effect.provideContext(makeTables, connection)
  yield* Effect.catch(prepared, (error) =>
    saysItPasses(error)
      ? retryTransient(prepared)
      : Effect.fail(new DatabaseUnavailable({ what: databaseErrorText(error) }))
  )
  return connection
})

/** Connects to the database at this address and creates missing tables. */
export const layerDatabase = (
  url: Redacted.Redacted
): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable, FileSystem.FileSystem> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { isTlsPreferred, settings } = yield* databaseSettings(url)
      const connection = connect(settings)
      return yield* isTlsPreferred
        ? Effect.catchIf(connection, lacksTls, () => connect({ ...settings, ssl: false }))
        : connection
    })
  )
