/**
 * Activities of a cluster run: the engine remembers their outcomes, and the journal persists them as evidence.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as WorkflowActivity from "effect/workflow/Activity"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import { Activities, type Activity, asJson } from "../journal/Activities.ts"
import { isRefinement, Journal } from "../journal/Journal.ts"
import { BegunElsewhere } from "./ClusterRuns.ts"
import { fromJson, type Redact, withoutSecrets } from "./WithoutSecrets.ts"

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
