/**
 * Removes a run that has ended from all tables: its records, and the messages and replies of the workflow engine, which knows
 * a run and its tasks by ids of its own.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { retryTransient } from "./ClusterDatabase.ts"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** The first message to a run and to each of its tasks holds the id of the run; quotes within texts are escaped there. */
const namesRun = (runId: string): string => `"runId":${JSON.stringify(runId)}`

/** Removes a run; false for one that has not ended, or is not there. */
export const removeRun = (sql: SqlClient.SqlClient, runId: string): Effect.Effect<boolean, DatabaseUnavailable> => {
  const remove = Effect.gen(function* () {
    const removed = yield* sql`DELETE FROM task_conductor_runs
      WHERE run_id = ${runId} AND ending IS NOT NULL RETURNING run_id`
    if (removed.length === 0) return false
    /* A client may remove runs where no engine has made its tables yet. */
    const [engine] = yield* sql<{ readonly found: boolean }>`
      SELECT to_regclass('task_conductor_replies') IS NOT NULL AS found`
    if (engine?.found !== true) return true
    const ids = sql`SELECT entity_id FROM task_conductor_messages
      WHERE tag = 'run' AND strpos(payload, ${namesRun(runId)}) > 0`
    yield* sql`DELETE FROM task_conductor_replies WHERE request_id IN
      (SELECT request_id FROM task_conductor_messages WHERE entity_id IN (${ids}))`
    yield* sql`DELETE FROM task_conductor_messages WHERE entity_id IN (${ids})`
    return true
  })
  return retryTransient(sql.withTransaction(remove))
}
