/**
 * The database of a cluster: how it is reached, its tables, and the retries of queries. Its address may be completed by the
 * variables and the password file of PostgreSQL's own programs; what the address says is used first. A password never comes
 * from a flag, which other users of the machine could read.
 */
import type { PoolConfig } from "pg"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Context from "effect/Context"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { readGivenFile } from "../../kit/files.ts"
import { environmentVariable } from "../../plugin-kit.ts"
import { layerPostgres } from "./PostgresClient.ts"

/** The name of the variable that says where the database is. */
export const databaseVariable = "TASK_CONDUCTOR_DATABASE"

/** There is no database, or it does not answer as it should; `what` never holds its address, which has a password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  what: Schema.String,
  /** True when the statement itself is wrong: a fault of this program, which only the work at hand has to end for. */
  isFault: Schema.optionalKey(Schema.Boolean)
}) {
  readonly exitCode = 1

  override get message(): string {
    return `The database that ${databaseVariable} names cannot be used: ${this.what}.`
  }
}

interface PasswordPlace {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
}

/** The fields of a line; the password may hold colons only behind a backslash, as the others. */
const fieldsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"))

/** The password for a place; nothing when no line fits. A folder of sockets is named by itself or as localhost. */
export const findPassword = (text: string, { database, host, port, user }: PasswordPlace): string | undefined => {
  const hosts = host === "" || host.startsWith("/") ? [host, "localhost"] : [host]
  const wanted = [hosts, [port], [database], [user]]
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"))
  const found = lines
    .map(fieldsOf)
    .find((fields) => wanted.every((values, at) => fields[at] === "*" || values.some((value) => value === fields[at])))
  return found?.[4]
}

/** Values of `sslmode`; of those that ask for TLS, all check the certificate. */
const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** What is wrong with a setting, for the person who gave it. */
const wrong = (what: string) => new DatabaseUnavailable({ what })

const readSetting = (name: string, path: string) =>
  Effect.mapError(readGivenFile(path), () => wrong(`the file ${path} of ${name} cannot be read`))

/** A value of the address, or else of the variable that means the same. */
const setting = (address: URL, parameter: string, variable: string) => {
  const given = address.searchParams.get(parameter)
  return given === null || given === "" ? environmentVariable(variable) : Effect.succeed(given)
}

/** The certificates of TLS; nothing when there is to be none, or when it is left to the server. */
const transportOf = Effect.fnUntraced(function* (address: URL) {
  const mode = yield* setting(address, "sslmode", "PGSSLMODE")
  if (mode !== undefined && !modes.includes(mode)) {
    return yield* wrong(`the sslmode "${mode}" is not known. It is one of ${modes.join(", ")}`)
  }
  if (mode === undefined || !["require", "verify-ca", "verify-full"].includes(mode)) return { mode, ssl: undefined }
  const read = Effect.fnUntraced(function* (parameter: string, variable: string) {
    const path = yield* setting(address, parameter, variable)
    return path === undefined || path === "system" ? undefined : yield* readSetting(variable, path)
  })
  const ssl = {
    ca: yield* read("sslrootcert", "PGSSLROOTCERT"),
    cert: yield* read("sslcert", "PGSSLCERT"),
    key: yield* read("sslkey", "PGSSLKEY"),
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {})
  }
  return { mode, ssl }
})

/** The password of the variables or of the password file; nothing when the address has one, or nobody gave one. */
const passwordOf = Effect.fnUntraced(function* (address: URL) {
  if (address.password !== "" || address.searchParams.has("password")) return undefined
  const given = yield* environmentVariable("PGPASSWORD")
  if (given !== undefined) return given
  const named = yield* environmentVariable("PGPASSFILE")
  const home = yield* environmentVariable("HOME")
  const path = named ?? (home === undefined ? undefined : `${home}/.pgpass`)
  if (path === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info))
    return named === undefined ? undefined : yield* wrong(`the file ${path} of PGPASSFILE is missing`)
  if ((info.value.mode & 0o077) !== 0) {
    return yield* wrong(`others can read the file of passwords ${path}. Make it your own: chmod 600 ${path}`)
  }
  const { pathname, searchParams } = address
  const user = searchParams.get("user") ?? decodeURIComponent(address.username)
  return findPassword(yield* readSetting("PGPASSFILE", path), {
    host: searchParams.get("host") ?? address.hostname,
    port: searchParams.get("port") ?? (address.port === "" ? "5432" : address.port),
    database: searchParams.get("dbname") ?? (pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : user),
    user
  })
})

export const databaseSettings = Effect.fn("databaseSettings")(function* (url: Redacted.Redacted) {
  const address = yield* Effect.try({
    try: () => new URL(Redacted.value(url)),
    catch: () => wrong("its address is not an address like postgres://user@host/name")
  })
  const { mode, ssl } = yield* transportOf(address)
  const password = yield* passwordOf(address)
  if (mode !== undefined) address.searchParams.set("sslmode", mode)
  return {
    url: Redacted.make(address.href),
    ssl,
    isTlsPreferred: mode === "prefer" || mode === "allow",
    password: password === undefined ? undefined : Redacted.make(password)
  }
})

/** Notices that this function reports. */
export const makeNotices = (report: (what: string) => Effect.Effect<void>) => {
  let isAway = false
  return {
    /** A query failed and is tried again. */
    failed: (why: string) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return report(`The database does not answer (${why}). It is tried again for ten minutes.`)
      }),
    /** A query got its answer. */
    answered: Effect.suspend(() => {
      if (!isAway) return Effect.void
      isAway = false
      return report("The database answers again.")
    }),
    /** Says what a person should know. */
    says: report
  }
}

/** The notices of this process; nothing is reported unless they are provided. */
export const CurrentNotices = Context.Reference("task-conductor/plugins/cluster/DatabaseNotice", {
  defaultValue: () => makeNotices(() => Effect.void)
})

/** Nobody said where the database is. */
export class DatabaseUnnamed extends Schema.TaggedError<DatabaseUnnamed>()("DatabaseUnnamed", {}) {
  override get message(): string {
    return `${databaseVariable} is not set. Give it the address of a PostgreSQL database: postgres://user@host/name`
  }
}

/** What the database said, in one line. */
const databaseErrorText = ({ message, reason }: SqlError): string => {
  const said = reason.cause instanceof Error ? reason.cause.message : message
  return (said === "" ? reason._tag : said).replaceAll("\n", " ")
}

/**
 * Runs and their records. `records` of a run counts up under the lock of its row, so that who reads in order of `seq`
 * misses none. The `token` of a record lets a lost connection try again without adding it twice. `event` is the type of
 * the event that a record holds, empty for other records. One run at a time changes a project. `leader` is the piece of work
 * that leads a run, `led_by` the worker that had it last. What workers lack for a piece is in `declined`. The work itself is in the tables of pg-boss.
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
  if (found?.areThere === true) return
  yield* transaction(
    sql,
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${tablesLock})`
      for (const table of tables) yield* sql.unsafe(table)
    })
  )
})

const decoded = (text: string) => (text === "" ? undefined : decodeURIComponent(text))

type Settings = Effect.Success<ReturnType<typeof databaseSettings>>

/** The settings in the words of the client. What it would look for itself is given: it reads the environment otherwise. */
const poolSettings = ({ password, ssl, url }: Settings): PoolConfig => {
  const address = new URL(Redacted.value(url))
  const given = (name: string) => address.searchParams.get(name) ?? undefined
  const secret = given("password") ?? decoded(address.password) ?? (password && Redacted.value(password))
  const user = given("user") ?? decoded(address.username)
  const database = given("dbname") ?? decoded(address.pathname.slice(1))
  return {
    host: given("host") ?? decoded(address.hostname) ?? "localhost",
    port: Number(given("port") ?? (address.port === "" ? 5432 : address.port)),
    ssl: ssl ?? false,
    ...(user === undefined ? {} : { user }),
    ...(database === undefined ? {} : { database }),
    ...(secret === undefined ? {} : { password: secret })
  }
}

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
      const settings = yield* databaseSettings(url)
      const plain = poolSettings(settings)
      if (!settings.isTlsPreferred) return yield* connect(plain)
      return yield* Effect.catchIf(connect({ ...plain, ssl: {} }), lacksTls, () => connect(plain))
    })
  )

/** How long a query is tried again: databases restart, fail over, and are updated. */
const patience = "10 minutes"

const intervals = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: patience })
)

/**
 * What is done about an error, by the class of its SQLSTATE or the whole code. What passes is waited for: a connection that breaks
 * (08), conflicts between transactions (40), no room on the disk, in memory or for connections (53), an object in use (55), a
 * server that shuts down or cancels a query (57), a fault of its system (58), a replica that is not promoted yet, and a transaction
 * whose client was silent for too long.
 */
const passing: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57", "58", "25006", "25P03"])

/** What is wrong with the statement or its values: it will never succeed, on no machine. */
const faults: ReadonlySet<string> = new Set(["21", "22", "23", "42"])

const isIn = (codes: ReadonlySet<string>, { reason: { cause } }: SqlError): boolean => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))
}

/** True when a query may succeed later. */
export const isPassing = (error: SqlError): boolean => isIn(passing, error) || error.isRetryable

/** After so long without an answer, a query is said to wait. */
const slowTime = "5 seconds"

/** Tries a query again for a while when its failure may pass. */
export const retryTransient = <A>(query: Effect.Effect<A, SqlError>): Effect.Effect<A, DatabaseUnavailable> =>
  Effect.gen(function* () {
    const { answered, failed } = yield* CurrentNotices
    const slow = Effect.andThen(Effect.sleep(slowTime), failed("no answer for 5 seconds; a table may be locked"))
    const result = yield* Effect.raceFirst(query, Effect.andThen(slow, Effect.never)).pipe(
      Effect.tapError((error) => (isPassing(error) ? failed(databaseErrorText(error)) : Effect.void)),
      Effect.retry({ schedule: intervals, while: isPassing }),
      Effect.mapError(
        (error) =>
          new DatabaseUnavailable({
            what: databaseErrorText(error),
            ...(isIn(faults, error) && !isPassing(error) ? { isFault: true } : {})
          })
      ),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(new DatabaseUnavailable({ what: `it has not answered for ${patience}` }))
      })
    )
    yield* answered
    return result
  })
