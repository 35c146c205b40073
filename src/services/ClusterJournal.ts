/**
 * The journal of a run that machines share: the same records as in a file, in the database, where every worker of the run
 * sees them as soon as they are there.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { JournalRecord } from "../domain/JournalRecord.ts"
import type { DatabaseUnavailable } from "./ClusterDatabase.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import { Journal } from "./Journal.ts"
import { JournalError } from "./JournalError.ts"
import { recordOf } from "./JournalLine.ts"

/** The journal of this run; `redact` takes secrets out of what is kept. */
export const layerClusterJournal = (
  runId: string,
  redact: (json: string) => string
): Layer.Layer<Journal, never, ClusterRuns> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const runs = yield* ClusterRuns
      const failed = yield* Deferred.make<never, JournalError>()

      /** What cannot be kept ends the work: it never comes back, and the run is told why. */
      const orFail = <A>(query: Effect.Effect<A, DatabaseUnavailable>): Effect.Effect<A> =>
        Effect.catchTag(query, "DatabaseUnavailable", ({ what }) =>
          Effect.andThen(
            Deferred.fail(
              failed,
              new JournalError({ path: `of the run ${runId}`, reason: { _tag: "DatabaseFailed", what } })
            ),
            Effect.never
          )
        )

      const append = (record: JournalRecord): Effect.Effect<void> => orFail(runs.append(runId, record, redact))

      const recordWith = (type: JournalRecord["type"], key: string) =>
        Effect.map(orFail(runs.last(runId, type, key)), (line) => (line === undefined ? undefined : recordOf(line)))

      const valueOf = (type: JournalRecord["type"], key: string): Effect.Effect<Option.Option<Schema.Json>> =>
        Effect.map(recordWith(type, key), (record) =>
          record !== undefined && "value" in record ? Option.some(record.value) : Option.none()
        )

      return Journal.of({
        outcome: (key) => valueOf("outcome", key),
        settled: (key) => valueOf("settled", key),
        answer: (key) => valueOf("answer", key),
        doubt: Effect.fnUntraced(function* (key) {
          const line = yield* orFail(runs.last(runId, "intent", key))
          const intent = line === undefined ? undefined : recordOf(line)
          if (line === undefined || intent?.type !== "intent") return undefined
          return Option.isSome(yield* valueOf("outcome", key)) ? undefined : { ...intent, seq: line.seq }
        }),
        keepOutcome: (key, value) => append({ type: "outcome", key, value }),
        keepFailure: (key, error) => append({ type: "failure", key, error }),
        keepSettled: (key, value) => append({ type: "settled", key, value }),
        keepAnswer: (key, value) => append({ type: "answer", key, value }),
        keepSeen: (key, value) => append({ type: "seen", key, value }),
        intend: (intent) => append({ type: "intent", ...intent }),
        sent: (prompt) => append({ type: "prompt", ...prompt }),
        tell: (event) => append({ type: "event", event }),
        flush: Effect.void,
        failed: Deferred.await(failed)
      })
    })
  )
