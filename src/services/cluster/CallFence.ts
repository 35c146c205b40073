/**
 * Lets one worker begin a call. A worker that was stopped, or whose network was cut, may go on for a moment after another
 * one has taken its work over: before it begins a call that changes something, the database says whether another worker
 * began the same call meanwhile.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import { retryTransient } from "./ClusterDatabase.ts"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** The intent of a call, ready to be saved. */
export interface FencedIntent {
  readonly runId: string
  readonly key: string
  readonly at: string
  readonly json: string
  /** The last intent of this call that this worker knows; 0 when it knows none. */
  readonly known: number
}

/** Another worker has begun the call, or finished it. The call is looked at again from its beginning. */
export class BegunElsewhere extends Schema.TaggedError<BegunElsewhere>()("BegunElsewhere", { key: Schema.String }) {}

/**
 * Saves an intent, unless a newer intent or an outcome of the call is there. Returns its number. The row of the run is
 * locked first: a statement sees only what was committed before it began.
 */
export const saveIntent = (
  sql: SqlClient.SqlClient,
  { at, json, key, known, runId }: FencedIntent
): Effect.Effect<number | undefined, DatabaseUnavailable> => {
  const token = randomUUID()
  const save = Effect.gen(function* () {
    const [run] = yield* sql<{ readonly records: number }>`UPDATE task_conductor_runs
      SET records = records + 1, size = size + ${Buffer.byteLength(json)} WHERE run_id = ${runId} RETURNING records`
    const found = yield* sql<{ readonly seq: number; readonly mine: boolean }>`
      SELECT seq, token = ${token}::uuid AS mine FROM task_conductor_records WHERE run_id = ${runId}
        AND type IN ('intent', 'outcome') AND md5(key) = md5(${key}) AND key = ${key} AND seq > ${known}`
    if (run === undefined) return undefined
    /* The answer to an earlier attempt was lost. */
    const mine = found.find((one) => one.mine)
    if (mine !== undefined) return mine.seq
    if (found.length > 0) return undefined
    yield* sql`INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
      VALUES (${runId}, ${run.records}, ${at}, 'intent', ${key}, '', ${json}, ${token}::uuid)`
    return run.records
  })
  return retryTransient(sql.withTransaction(save))
}
