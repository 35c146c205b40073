/**
 * The journal of a cluster run: the same records as in a file, stored in the database, where every worker of the run
 * sees them at once.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { CallIntent, JournalRecord } from "../../domain/journal/JournalRecord.ts"
import { underWay } from "./CallsUnderWay.ts"
import { BegunElsewhere, ClusterRuns } from "./ClusterRuns.ts"
import type { DatabaseUnavailable } from "./DatabaseSettings.ts"
import type { Secrets } from "./WithoutSecrets.ts"
import { inDoubt, isRefinement, Journal, valueOf } from "../journal/Journal.ts"
import { JournalError } from "../journal/JournalError.ts"
import { readRecord } from "../journal/JournalLine.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

/**
 * A worker that was told less than this ago that a call is its own still has its place: locks last longer, counted from
 * when they were refreshed last.
 */
const placeTime = Duration.seconds(4)

/** The journal of this run, which persists no secrets; a refinement that has some is whole at the worker that made it. */
export const layerClusterJournal = (
  runId: string,
  { redact, whole }: Secrets
): Layer.Layer<Journal, never, ClusterRuns> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const runs = yield* ClusterRuns
      const failed = yield* Deferred.make<never, JournalError>()

      /** A record that cannot be persisted ends the work: the effect never returns, and `failed` reports why. */
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

      /** The number of the last intent of each call that this worker has seen. */
      const known = new Map<string, number>()

      /** Returns when this worker alone may begin the call, and has been told so just now. */
      const intend = Effect.fnUntraced(function* (intent: CallIntent) {
        const { key } = intent
        for (;;) {
          const asked = yield* Clock.currentTimeMillis
          const seq = yield* orFail(runs.intend(runId, intent, known.get(key) ?? 0, redact))
          if (seq === undefined) return yield* new BegunElsewhere({ key })
          known.set(key, seq)
          if ((yield* Clock.currentTimeMillis) - asked < Duration.toMillis(placeTime)) return
        }
      })

      const last = (type: JournalRecord["type"], key: string) => orFail(runs.last(runId, type, key))

      return Journal.of({
        saved: Effect.fnUntraced(function* (type, key) {
          const line = yield* last(type, key)
          const value = valueOf(line)
          if (type === "answer" || Option.isSome(value)) return value
          const record = line === undefined ? undefined : readRecord(line)
          return record !== undefined && "value" in record
            ? Option.fromUndefinedOr(whole.find(runId, `${type}/${key}`, record.value))
            : Option.none()
        }),
        doubt: Effect.fnUntraced(function* (key) {
          const intent = inDoubt(yield* last("intent", key))
          if (intent === undefined) return undefined
          known.set(key, intent.seq)
          return (yield* last("outcome", key)) === undefined ? intent : undefined
        }),
        append: (record) => {
          /* A worker that has lost its place is interrupted while it waits. */
          if (record.type === "intent") {
            return Effect.catchTag(underWay(intend(record)), "BegunElsewhere", (begun) =>
              Effect.andThen(Effect.sleep(placeTime), Effect.die(begun))
            )
          }
          if ((record.type === "outcome" || record.type === "settled") && isRefinement(record.key)) {
            whole.keep(runId, `${record.type}/${record.key}`, record.value)
          }
          return append(record)
        },
        enqueue: append,
        unreadable: (key) => {
          const reason = { _tag: "UnknownRecord" as const, line: 0, kind: key, program: "of another version" }
          return Effect.andThen(
            Deferred.fail(failed, new JournalError({ path: `of the run ${runId}`, reason })),
            Effect.never
          )
        },
        failed: Deferred.await(failed)
      })
    })
  )

/** The usage of the run, which began at this time (ISO 8601): computed from the events in its journal. */
export const layerClusterUsage = (runId: string, begunAt: string): Layer.Layer<UsageMeter, never, ClusterRuns> =>
  Layer.effect(
    UsageMeter,
    Effect.map(ClusterRuns, (runs) =>
      UsageMeter.of({
        modelCall: () => Effect.void,
        toolCall: Effect.void,
        total: Effect.gen(function* () {
          const used = yield* Effect.orDie(runs.usage(runId))
          return { ...used, durationMs: (yield* Clock.currentTimeMillis) - Date.parse(begunAt) }
        })
      })
    )
  )
