/**
 * Handles errors of the database. If an error may go away, the query is retried for up to ten minutes, and the user
 * sees a notice. A wrong statement ends the piece of work, and any other error ends the worker.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"

/** The environment variable with the address of the database. */
export const databaseVariable = "TASK_CONDUCTOR_DATABASE"

/** The database cannot be used. `what` never contains its address, which may contain a password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  what: Schema.String,
  /**
   * True if the SQL statement is wrong, which is a bug of this program. Such an error ends one piece of work, but not
   * the worker.
   */
  isFault: Schema.optionalKey(Schema.Boolean)
}) {
  readonly exitCode = 1

  override get message(): string {
    return `The database that ${databaseVariable} names cannot be used: ${this.what}.`
  }
}

/** The environment variable with the address of the database is not set. */
export class DatabaseUnnamed extends Schema.TaggedError<DatabaseUnnamed>()("DatabaseUnnamed", {}) {
  override get message(): string {
    return `${databaseVariable} is not set. Give it the address of a PostgreSQL database: postgres://user@host/name`
  }
}

/** Reports once that the database is away, and later once that it is back. */
const makeNotices = (report: (what: string) => Effect.Effect<void>) => {
  let isAway = false
  return {
    /** Reports a failed query, unless the user already knows. `what` is a sentence. */
    failed: (what: string) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return report(`${what} It is tried again for ten minutes.`)
      }),
    /** Called after each query that succeeds. */
    answered: Effect.suspend(() => {
      if (!isAway) return Effect.void
      isAway = false
      return report("The database answers again.")
    })
  }
}

/** The notices of the current worker or client. By default, nobody receives them. */
const CurrentNotices = Context.Reference("task-conductor/plugins/cluster/DatabaseNotice", {
  defaultValue: () => makeNotices(() => Effect.void)
})

/** Runs an effect with `report` as the receiver of notices about the database. */
export const withNotices = (report: (what: string) => Effect.Effect<void>) =>
  Effect.provideService(CurrentNotices, makeNotices(report))

export const databaseErrorText = ({ message, reason }: SqlError): string => {
  const said = reason.cause instanceof Error ? reason.cause.message : message
  return (said === "" ? reason._tag : said).replaceAll("\n", " ")
}

/** How long a query is retried. Restarts, upgrades and moves to a replica usually take less time. */
const patience = "10 minutes"

const intervals = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: patience })
)

/**
 * Errors that go away, as SQLSTATE codes (five characters) or classes of codes (two):
 * - `08`: the connection failed.
 * - `40`: transactions are in conflict.
 * - `53`: the server lacks memory, disk space or connections.
 * - `55`: an object is in use.
 * - `57`: an operator intervened.
 * - `58`: the operating system reported an error.
 * - `25006`: the transaction is read-only, on a replica that will become the server.
 * - `25P03`: the transaction was idle for too long.
 */
const passing: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57", "58", "25006", "25P03"])
/** The codes for a missing table, schema or grant. An operator can restore it, so queries are retried. */
const lacking: ReadonlySet<string> = new Set(["42P01", "3F000", "42501"])

/** The classes of errors that the statement or its values cause. Such an error occurs on every machine. */
const faults: ReadonlySet<string> = new Set(["21", "22", "23", "42"])

const isIn = (codes: ReadonlySet<string>, { reason: { cause } }: SqlError): boolean => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))
}

/** True if the database server answered with an error that is only temporary. */
export const saysItPasses = (error: SqlError): boolean => isIn(passing, error)

/** True if the query may succeed later. */
export const isPassing = (error: SqlError): boolean => saysItPasses(error) || isIn(lacking, error) || error.isRetryable

const noticeOf = (error: SqlError): string =>
  isIn(lacking, error)
    ? `The database refuses a statement (${databaseErrorText(error)}). Restore what is missing, or grant it: see docs/reference/operating-workers.md.`
    : `The database does not answer (${databaseErrorText(error)}).`

/** After this time without an answer, the user sees a notice. */
const slowTime = "5 seconds"
const slowNotice = "The database does not answer (no answer for 5 seconds; a table may be locked)."

/** Retries a query after errors that may go away, for up to `patience`. */
export const retryTransient = <A>(query: Effect.Effect<A, SqlError>): Effect.Effect<A, DatabaseUnavailable> =>
  Effect.gen(function* () {
    const { answered, failed } = yield* CurrentNotices
    const slow = Effect.andThen(Effect.sleep(slowTime), failed(slowNotice))
    const result = yield* Effect.raceFirst(query, Effect.andThen(slow, Effect.never)).pipe(
      Effect.tapError((error) => (isPassing(error) ? failed(noticeOf(error)) : Effect.void)),
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
