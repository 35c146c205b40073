/**
 * The database of a cluster: its tables, and the connection over which all services use them.
 */
import type { PoolConfig } from "pg"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { databaseErrorText, DatabaseUnavailable } from "./DatabaseErrors.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { layerPostgres } from "./PostgresClient.ts"

/**
 * Runs, their records, workers and answers. The pieces of work are in the tables of pg-boss.
 * - `records` of a run counts up under the lock of its row: a reader that goes by `seq` misses none.
 * - `token` of a record: a statement whose answer was lost can be sent again, and adds nothing twice.
 * - `event` is the type of the event in a record, empty for other records.
 * - `leader` is the piece that leads a run, `led_by` the worker that had it last.
 * - `declined` has what workers lack for a piece. The index lets one run at a time change a project.
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

/** Any number that no other program is likely to lock. */
const tablesLock = 5_247_001

/** What is made last, and what older versions do not have. */
const areThere = `SELECT to_regclass('task_conductor_declined') IS NOT NULL AS "areThere"`

/** Does all of it or nothing. A connection that breaks cannot be rolled back either: that is no defect, but the same failure. */
export const transaction = <A, E>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.catchDefect(sql.withTransaction(work), (defect) =>
    isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
  )

/**
 * Makes the tables unless they are there; one process at a time. Tables that are there are not touched: that would lock them,
 * and a worker that joins would hold up the others.
 */
const makeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly areThere: boolean }>(areThere)
  /* Who starts without a grant learns it at once. A grant that goes later is waited for, as a database that is away. */
  if (found?.areThere === true) return yield* sql`SELECT FROM task_conductor_runs LIMIT 0`
  yield* transaction(
    sql,
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${tablesLock})`
      for (const table of tables) yield* sql.unsafe(table)
    })
  )
})

/** True for the error of a connection that asked for TLS at a server that has none. */
const lacksTls = ({ what }: DatabaseUnavailable): boolean => what.includes("does not support SSL")

const connect = (settings: PoolConfig) =>
  Effect.mapError(
    Layer.build(Layer.provideMerge(Layer.effectDiscard(makeTables), layerPostgres(settings))),
    (error) => new DatabaseUnavailable({ what: databaseErrorText(error) })
  )

/** A connection to the database at this address, with the tables in place. */
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
