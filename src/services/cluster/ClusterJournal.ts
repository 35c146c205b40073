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
import type * as Schema from "effect/Schema"
import type { CallIntent, JournalRecord } from "../../domain/history/JournalRecord.ts"
import { underWay } from "./CallsUnderWay.ts"
import { BegunElsewhere } from "./CallFence.ts"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import type { Secrets } from "./WithoutSecrets.ts"
import { isRefinement, Journal, valueOf, wholeValueOf } from "../journal/Journal.ts"
import { JournalError } from "../journal/JournalError.ts"
import { readRecord } from "../journal/JournalLine.ts"

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

      const lastWhole = (type: "outcome" | "settled", key: string) =>
        Effect.map(last(type, key), (line) =>
          Option.orElse(wholeValueOf(line), () =>
            Option.flatMapNullishOr(valueOf(line), (saved) => whole.find(runId, `${type}/${key}`, saved))
          )
        )

      const save = (type: "outcome" | "settled", key: string, value: Schema.Json) =>
        Effect.andThen(
          Effect.sync(() => {
            if (isRefinement(key)) whole.keep(runId, `${type}/${key}`, value)
          }),
          append({ type, key, value })
        )

      return Journal.of({
        outcome: (key) => lastWhole("outcome", key),
        stageResult: (key) => lastWhole("settled", key),
        answer: (key) => Effect.map(last("answer", key), valueOf),
        doubt: Effect.fnUntraced(function* (key) {
          const line = yield* last("intent", key)
          const intent = line === undefined ? undefined : readRecord(line)
          if (line === undefined || intent?.type !== "intent") return undefined
          known.set(key, line.seq)
          return (yield* last("outcome", key)) === undefined ? { ...intent, seq: line.seq } : undefined
        }),
        saveOutcome: (key, value) => save("outcome", key, value),
        saveFailure: (key, error) => append({ type: "failure", key, error }),
        saveStageResult: (key, value) => save("settled", key, value),
        saveAnswer: (key, value) => append({ type: "answer", key, value }),
        saveSeen: (key, value) => append({ type: "seen", key, value }),
        /* A worker that has lost its place is interrupted while it waits. */
        intend: (intent) =>
          Effect.catchTag(underWay(intend({ type: "intent", ...intent })), "BegunElsewhere", (begun) =>
            Effect.andThen(Effect.sleep(placeTime), Effect.die(begun))
          ),
        sent: (prompt) => append({ type: "prompt", ...prompt }),
        tell: (event) => append({ type: "event", event }),
        unreadable: (key) => {
          const reason = { _tag: "UnknownRecord" as const, line: 0, kind: key, program: "of another version" }
          return Effect.andThen(
            Deferred.fail(failed, new JournalError({ path: `of the run ${runId}`, reason })),
            Effect.never
          )
        },
        flush: Effect.void,
        failed: Deferred.await(failed)
      })
    })
  )
