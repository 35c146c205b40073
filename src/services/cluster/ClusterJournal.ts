/**
 * The journal of a cluster run, with the same records as in a file, stored in the database, where every worker of the run sees
 * them at once; and its activities, whose outcomes the engine remembers and the journal persists as evidence.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as WorkflowActivity from "effect/workflow/Activity"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import type { CallIntent, JournalRecord } from "../../domain/journal/JournalRecord.ts"
import { underWay } from "./CallsUnderWay.ts"
import { BegunElsewhere, ClusterRuns } from "./ClusterRuns.ts"
import type { DatabaseUnavailable } from "./ClusterDatabase.ts"
import { type Secrets, fromJson, type Redact, withoutSecrets } from "./WithoutSecrets.ts"
import { inDoubt, isRefinement, Journal, replacedCall, valueOf } from "../journal/Journal.ts"
import { JournalError } from "../journal/JournalError.ts"
import { readRecord } from "../journal/JournalLine.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { activityName, answerOf, keyOfActivity } from "../../domain/runs/ActivityKey.ts"
import { Activities, type Activity, asJson } from "../journal/Activities.ts"

/**
 * A worker that learned less than this ago that a call is its own still has its place: locks last longer, counted from
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

      /** Returns when this worker alone may begin the call, and has learned so just now. */
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

      const at = (type: JournalRecord["type"], place: string) => orFail(runs.at(runId, type, place))

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
          if (intent !== undefined) {
            known.set(key, intent.seq)
            return (yield* last("outcome", key)) === undefined ? intent : undefined
          }
          const answer = answerOf(key)
          const before = answer === undefined ? undefined : (yield* at("intent", keyOfActivity(key))).at(-1)
          if (answer === undefined || before === undefined) return undefined
          return replacedCall(before, yield* last("outcome", before.key), yield* at("outcome", answer))
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

/** Runs a call, and lets it end when the work that it belongs to moves to another worker. */
export type Finish = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** An activity without the secrets in what comes of it. */
const redacted = <A, E, R>({ error, execute, success }: Activity<A, E, R>, redact: Redact): Effect.Effect<A, E, R> =>
  execute.pipe(
    Effect.flatMap((outcome) => withoutSecrets(success, outcome, redact)),
    Effect.catch((failure) => Effect.flatMap(withoutSecrets(error, failure, redact), (safe) => Effect.fail(safe)))
  )

/** An activity on the engine of the workflow that this fiber executes; outside a workflow it simply runs. */
const onEngine = Effect.fnUntraced(function* <A, E, R>(activity: Activity<A, E, R>): Effect.fn.Return<A, E, R> {
  const engine = yield* Effect.serviceOption(WorkflowEngine)
  const instance = yield* Effect.serviceOption(WorkflowInstance)
  const { error, execute, success } = activity
  if (Option.isNone(engine) || Option.isNone(instance)) return yield* execute
  const durable = WorkflowActivity.make({ name: activityName(activity), success, error, execute })
  return yield* durable.pipe(
    Effect.provideService(WorkflowEngine, engine.value),
    Effect.provideService(WorkflowInstance, instance.value)
  ) as Effect.Effect<A, E, R>
})

/** Publishes the outcome of an activity when `run` executes it; one that `run` remembers was published before. */
const publishing = <A, E, R>(
  activity: Activity<A, E, R>,
  run: (activity: Activity<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isFresh = false
    const execute = Effect.tap(activity.execute, () => Effect.sync(() => void (isFresh = true)))
    const { publish = () => Effect.void } = activity
    return Effect.tap(run({ ...activity, execute }), (outcome) => (isFresh ? publish(outcome) : Effect.void))
  })

/**
 * Runs activities on the engine of the cluster, and persists what came of them. `redact` takes secrets out of what the engine
 * saves. Refinements are needed whole, because calls are made from them: only the journal remembers them, and those from which
 * it took secrets are made again, as in a run on one machine.
 */
export const layerClusterActivities = (redact: Redact, finish: Finish = (call) => call) =>
  Layer.effect(
    Activities,
    Effect.gen(function* () {
      const activities = yield* Activities
      const journal = yield* Journal

      const persisted = <A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R> => {
        const key = activityName(activity)
        const { error, success } = activity
        const execute = activity.execute.pipe(
          Effect.tap((outcome) =>
            Effect.flatMap(asJson(success, outcome), (value) => journal.append({ type: "outcome", key, value }))
          ),
          Effect.tapError((failure) =>
            Effect.flatMap(asJson(error, failure), (json) => journal.append({ type: "failure", key, error: json }))
          )
        )
        /* A worker can die after the journal knows the outcome, and before the engine does. */
        const attempt: Effect.Effect<A, E, R> = Effect.flatMap(
          journal.saved("outcome", key),
          Option.match({ onNone: () => execute, onSome: (value) => fromJson(success, value) })
        )
        /* Another worker was faster: what it began is in doubt, or it has finished. */
        return Effect.catchDefect(attempt, (defect) =>
          defect instanceof BegunElsewhere ? Effect.suspend(() => persisted(activity)) : Effect.die(defect)
        )
      }

      return Activities.of({
        ...activities,
        run: (activity) =>
          isRefinement(activity.key)
            ? finish(publishing(activity, persisted))
            : publishing(
                { ...activity, execute: finish(persisted({ ...activity, execute: redacted(activity, redact) })) },
                onEngine
              )
      })
    })
  )
