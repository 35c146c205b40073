/**
 * Activities of a cluster run: the engine remembers their outcomes, and the journal persists them as evidence.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import { Activities } from "../journal/Activities.ts"
import type { Activity } from "../journal/Activity.ts"
import { isRefinement, Journal } from "../journal/Journal.ts"
import { BegunElsewhere } from "./CallFence.ts"
import type { Redact } from "./ClusterRuns.ts"

const json = <A>(schema: Schema.Codec<A, unknown>, value: A): Effect.Effect<Schema.Json> =>
  Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(schema))(value))

/** The outcome as the engine saves it. */
const withoutSecrets = <A, E, R>({ key, success }: Activity<A, E, R>, outcome: A, redact: Redact): Effect.Effect<A> =>
  isRefinement(key)
    ? Effect.succeed(outcome)
    : Effect.flatMap(json(success, outcome), (value) =>
        Schema.decodeUnknownEffect(Schema.toCodecJson(success))(redact(value))
      ).pipe(Effect.orElseSucceed(() => outcome))

/**
 * Runs activities as the ones before do, on the engine of the cluster, and persists what came of them. `redact` takes secrets
 * out of what the engine saves, except of refinements: their calls are carried out by whichever worker comes next.
 */
export const layerClusterActivities = (redact: Redact) =>
  Layer.effect(
    Activities,
    Effect.gen(function* () {
      const activities = yield* Activities
      const journal = yield* Journal

      const persisted = <A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R> => {
        const name = activityName(activity)
        const execute = activity.execute.pipe(
          Effect.flatMap((outcome) => withoutSecrets(activity, outcome, redact)),
          Effect.tap((outcome) =>
            Effect.flatMap(json(activity.success, outcome), (value) => journal.saveOutcome(name, value))
          ),
          Effect.tapError((error) =>
            Effect.flatMap(json(activity.error, error), (value) => journal.saveFailure(name, value))
          )
        )
        /* A worker can die after the journal knows the outcome, and before the engine does. */
        const attempt: Effect.Effect<A, E, R> = Effect.flatMap(
          journal.outcome(name),
          Option.match({
            onNone: () => execute,
            onSome: (value) => Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(activity.success))(value))
          })
        )
        /* Another worker was faster: what it began is in doubt, or it has finished. */
        return Effect.catchDefect(attempt, (defect) =>
          defect instanceof BegunElsewhere ? Effect.suspend(() => persisted(activity)) : Effect.die(defect)
        )
      }

      return Activities.of({
        ...activities,
        run: (activity) => activities.run({ ...activity, execute: persisted(activity) })
      })
    })
  )
