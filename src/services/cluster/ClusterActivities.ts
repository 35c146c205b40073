/**
 * Activities of a cluster run: the engine remembers their outcomes, and the journal persists them as evidence.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import { Activities, type Activity } from "../journal/Activities.ts"
import { isRefinement, Journal } from "../journal/Journal.ts"
import { BegunElsewhere } from "./CallFence.ts"
import { asJson, fromJson, type Redact, withoutSecrets } from "./WithoutSecrets.ts"

/** Runs a call, and lets it end when the work that it belongs to moves to another worker. */
export type Finish = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** An activity without the secrets in what comes of it. */
const redacted = <A, E, R>({ error, execute, success }: Activity<A, E, R>, redact: Redact): Effect.Effect<A, E, R> =>
  execute.pipe(
    Effect.flatMap((outcome) => withoutSecrets(success, outcome, redact)),
    Effect.catch((failure) => Effect.flatMap(withoutSecrets(error, failure, redact), (safe) => Effect.fail(safe)))
  )

/**
 * Runs activities as the ones before do, on the engine of the cluster, and persists what came of them. `redact` takes secrets
 * out of what the engine saves. Refinements are needed whole, because calls are made from them: only the journal remembers
 * them, and those from which it took secrets are made again, as in a run on one machine.
 */
export const layerClusterActivities = (redact: Redact, finish: Finish = (call) => call) =>
  Layer.effect(
    Activities,
    Effect.gen(function* () {
      const activities = yield* Activities
      const journal = yield* Journal

      const persisted = <A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R> => {
        const name = activityName(activity)
        const { error, success } = activity
        const execute = activity.execute.pipe(
          Effect.tap((outcome) =>
            Effect.flatMap(asJson(success, outcome), (value) => journal.saveOutcome(name, value))
          ),
          Effect.tapError((failure) =>
            Effect.flatMap(asJson(error, failure), (value) => journal.saveFailure(name, value))
          )
        )
        /* A worker can die after the journal knows the outcome, and before the engine does. */
        const attempt: Effect.Effect<A, E, R> = Effect.flatMap(
          journal.outcome(name),
          Option.match({ onNone: () => execute, onSome: (value) => fromJson(success, value) })
        )
        /* Another worker was faster: what it began is in doubt, or it has finished. */
        return Effect.catchDefect(attempt, (defect) =>
          defect instanceof BegunElsewhere ? Effect.suspend(() => persisted(activity)) : Effect.die(defect)
        )
      }

      return Activities.of({
        ...activities,
        run: <A, E, R>(activity: Activity<A, E, R>) => {
          const { tell = () => Effect.void } = activity
          if (!isRefinement(activity.key)) {
            const execute = finish(persisted({ ...activity, execute: redacted(activity, redact) }))
            return activities.run({ ...activity, execute })
          }
          /* What the journal remembers was told before. */
          let isFresh = false
          const execute = Effect.tap(activity.execute, () => Effect.sync(() => void (isFresh = true)))
          return finish(
            Effect.tap(persisted({ ...activity, execute }), (outcome) => (isFresh ? tell(outcome) : Effect.void))
          )
        }
      })
    })
  )
