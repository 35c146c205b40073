/**
 * What is done about the errors of the database: queries are tried again for a while when a failure may pass, people learn of it,
 * and anything else ends the work or the worker.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"

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

/** Nobody said where the database is. */
export class DatabaseUnnamed extends Schema.TaggedError<DatabaseUnnamed>()("DatabaseUnnamed", {}) {
  override get message(): string {
    return `${databaseVariable} is not set. Give it the address of a PostgreSQL database: postgres://user@host/name`
  }
}

const makeNotices = (report: (what: string) => Effect.Effect<void>) => {
  let isAway = false
  return {
    /** A query failed and is tried again; `what` is a sentence. */
    failed: (what: string) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return report(`${what} It is tried again for ten minutes.`)
      }),
    /** A query got its answer. */
    answered: Effect.suspend(() => {
      if (!isAway) return Effect.void
      isAway = false
      return report("The database answers again.")
    })
  }
}

/** What is reported of the database; nothing unless a function is provided. */
const CurrentNotices = Context.Reference("task-conductor/plugins/cluster/DatabaseNotice", {
  defaultValue: () => makeNotices(() => Effect.void)
})

/** Reports when the database is away, and when it is back. */
export const withNotices = (report: (what: string) => Effect.Effect<void>) =>
  Effect.provideService(CurrentNotices, makeNotices(report))

/** What the database said, in one line. */
export const databaseErrorText = ({ message, reason }: SqlError): string => {
  const said = reason.cause instanceof Error ? reason.cause.message : message
  return (said === "" ? reason._tag : said).replaceAll("\n", " ")
}

/** How long a query is tried again: databases restart, fail over, and are updated. */
const patience = "10 minutes"

const intervals = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: patience })
)

/**
 * What is done about an error, by the class of its SQLSTATE or the whole code. What passes is waited for: a connection that breaks
 * (08), conflicts between transactions (40), no room on the disk, in memory or for connections (53), an object in use (55), a
 * server that shuts down or cancels a query (57), a fault of its system (58), a replica that is not promoted yet, and a transaction
 * whose client was silent for too long. So is what an operator brings back: a table, a schema, a grant.
 */
const passing: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57", "58", "25006", "25P03"])
const lacking: ReadonlySet<string> = new Set(["42P01", "3F000", "42501"])

/** What is wrong with the statement or its values: it will never succeed, on no machine. */
const faults: ReadonlySet<string> = new Set(["21", "22", "23", "42"])

const isIn = (codes: ReadonlySet<string>, { reason: { cause } }: SqlError): boolean => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))
}

/** True when a query may succeed later. */
export const isPassing = (error: SqlError): boolean => isIn(passing, error) || isIn(lacking, error) || error.isRetryable

const noticeOf = (error: SqlError): string =>
  isIn(lacking, error)
    ? `The database refuses a statement (${databaseErrorText(error)}). Restore what is missing, or grant it: see docs/operating-workers.md.`
    : `The database does not answer (${databaseErrorText(error)}).`

/** After so long without an answer, a query is said to wait. */
const slowTime = "5 seconds"
const slowNotice = "The database does not answer (no answer for 5 seconds; a table may be locked)."

/** Tries a query again for a while when its failure may pass. */
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
