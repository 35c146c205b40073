/**
 * Handling of database errors. A query whose error may pass is retried for up to ten minutes, and the user sees a notice. A faulty
 * statement ends the piece of work; any other error ends the worker.
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
  /** True when the statement itself is wrong, a bug of this program. It ends one piece of work, not the worker. */
  isFault: Schema.optionalKey(Schema.Boolean)
}) {
  readonly exitCode = 1

  override get message(): string {
    return `The database that ${databaseVariable} names cannot be used: ${this.what}.`
  }
}

/** The environment variable with the address is not set. */
export class DatabaseUnnamed extends Schema.TaggedError<DatabaseUnnamed>()("DatabaseUnnamed", {}) {
  override get message(): string {
    return `${databaseVariable} is not set. Give it the address of a PostgreSQL database: postgres://user@host/name`
  }
}

/** Reports once that the database is away, and once that it is back. */
const makeNotices = (report: (what: string) => Effect.Effect<void>) => {
  let isAway = false
  return {
    /** Call this when a query failed and is retried; `what` is a sentence. */
    failed: (what: string) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return report(`${what} It is tried again for ten minutes.`)
      }),
    /** Call this when a query succeeded. */
    answered: Effect.suspend(() => {
      if (!isAway) return Effect.void
      isAway = false
      return report("The database answers again.")
    })
  }
}

/** The notices of the current worker or client; silent by default. */
const CurrentNotices = Context.Reference("task-conductor/plugins/cluster/DatabaseNotice", {
  defaultValue: () => makeNotices(() => Effect.void)
})

/** Provides a function that receives these notices. */
export const withNotices = (report: (what: string) => Effect.Effect<void>) =>
  Effect.provideService(CurrentNotices, makeNotices(report))

/** The message of the database, in one line. */
export const databaseErrorText = ({ message, reason }: SqlError): string => {
  const said = reason.cause instanceof Error ? reason.cause.message : message
  return (said === "" ? reason._tag : said).replaceAll("\n", " ")
}

/** How long a query is retried: databases restart, fail over and are upgraded. */
const patience = "10 minutes"

const intervals = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: patience })
)

/**
 * Errors that pass, by the class of their SQLSTATE or the whole code: connection exceptions (08), transaction conflicts (40),
 * insufficient resources (53), object in use (55), operator intervention (57), system errors (58), a read-only transaction on a
 * replica that is not promoted yet (25006), and an idle transaction timeout (25P03).
 */
const passing: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57", "58", "25006", "25P03"])
/** A missing table, schema or grant: an operator can restore it, so the query is retried too. */
const lacking: ReadonlySet<string> = new Set(["42P01", "3F000", "42501"])

/** A wrong statement or wrong values: it fails on every machine. */
const faults: ReadonlySet<string> = new Set(["21", "22", "23", "42"])

const isIn = (codes: ReadonlySet<string>, { reason: { cause } }: SqlError): boolean => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))
}

/** True when the server itself answered with an error that passes. */
export const saysItPasses = (error: SqlError): boolean => isIn(passing, error)

/** True when the query may succeed later. */
export const isPassing = (error: SqlError): boolean => saysItPasses(error) || isIn(lacking, error) || error.isRetryable

const noticeOf = (error: SqlError): string =>
  isIn(lacking, error)
    ? `The database refuses a statement (${databaseErrorText(error)}). Restore what is missing, or grant it: see docs/reference/operating-workers.md.`
    : `The database does not answer (${databaseErrorText(error)}).`

/** After this time without an answer the user sees a notice. */
const slowTime = "5 seconds"
const slowNotice = "The database does not answer (no answer for 5 seconds; a table may be locked)."

/** Retries a query while its error may pass, for up to `patience`. */
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
