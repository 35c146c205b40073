/**
 * Tells the person at this process that the database of a cluster does not answer, and that it answers again; once for
 * each time that it is away, however many queries wait for it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface DatabaseNotices {
  /** A query failed and is tried again. */
  readonly failed: (why: string) => Effect.Effect<void>
  /** A query got its answer. */
  readonly answered: Effect.Effect<void>
  /** The engine says what a person should know. */
  readonly says: (what: string) => Effect.Effect<void>
}

/** Notices that are told with this function. */
export const makeNotices = (tell: (what: string) => Effect.Effect<void>): DatabaseNotices => {
  let isAway = false
  return {
    failed: (why) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return tell(`The database does not answer (${why}). It is tried again for ten minutes.`)
      }),
    answered: Effect.suspend(() => {
      if (!isAway) return Effect.void
      isAway = false
      return tell("The database answers again.")
    }),
    says: tell
  }
}

/** The notices of this process; nobody is told unless they are provided. */
export const CurrentNotices = Context.Reference<DatabaseNotices>("task-conductor/services/cluster/DatabaseNotice", {
  defaultValue: () => makeNotices(() => Effect.void)
})
